// The cufx dialect: what CUDA Fortran means and none of fir, cuf, gpu and nvvm can say.
#ifndef CUFORT_CUFX_DIALECT_TD
#define CUFORT_CUFX_DIALECT_TD

include "mlir/IR/OpBase.td"

def Cufx_Dialect : Dialect {
  let name = "cufx";
  let cppNamespace = "::cufort::cufx";
  let summary = "CUDA Fortran: launches, mapped loops and the operations of device code";
  let description = [{
    Operations of this dialect stand for what a CUDA Fortran program asks of a device, before it is known which
    device that is. Device operations have two lowerings: to NVVM for a GPU, and to calls of the emulated device
    for x86-64. Memory is named by FIR references.
  }];
  let dependentDialects = ["::fir::FIROpsDialect"];
  let usePropertiesForAttributes = 1;
}

#endif
