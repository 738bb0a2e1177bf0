// Operations of the cufx dialect about data that host and device share.
#ifndef CUFORT_CUFX_HOST_OPS_TD
#define CUFORT_CUFX_HOST_OPS_TD

include "mlir-dialects/Cufx/IR/CufxDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cufx_WaitForManagedOp : Op<Cufx_Dialect, "wait_for_managed"> {
  let summary = "Waits until the host may read managed data";
  let description = [{
    Host code. Waits for the default stream: that of the variable at `address` if cudaforSetDefaultStream gave it one,
    else the thread's. Without either it waits for the whole device, as a transfer in stream 0 does for all streams.

    ```mlir
    cufx.wait_for_managed %a : !fir.ref<!fir.array<9xf32>>
    ```

    No effect traits: what the host reads must stay behind it.
  }];
  let arguments = (ins Optional<AnyType>:$address);
  let assemblyFormat = "($address^ `:` type($address))? attr-dict";
}

def Cufx_EachDeviceOp : Op<Cufx_Dialect, "each_device", [MemoryEffects<[MemRead]>]> {
  let summary = "The memory of a variable of the main program in the current device";
  let description = [{
    Host code. Which memory it is, the runtime says, which allocates it where the variable is first used in a device.

    ```mlir
    %a = cufx.each_device "_QFEa" : !fir.ref<!fir.array<9xf32>>
    ```

    Reads which device is current: what may choose another one keeps its place.
  }];
  let arguments = (ins StrAttr:$variable);
  let results = (outs AnyType:$address);
  let assemblyFormat = "$variable attr-dict `:` type($address)";
}

#endif
