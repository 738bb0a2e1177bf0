// Operations of the cufx dialect about data that host and device share.
#ifndef CUFORT_CUFX_HOST_OPS_TD
#define CUFORT_CUFX_HOST_OPS_TD

include "mlir-dialects/Cufx/IR/CufxDialect.td"

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

#endif
