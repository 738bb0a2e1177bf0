#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/CheckAssignments.h"
#include "frontend/Checks/CheckComputedArrays.h"
#include "frontend/Checks/CheckInterfaces.h"
#include "frontend/Checks/CheckPointerAssignments.h"
#include "frontend/Checks/CheckReductionStreams.h"
#include "frontend/Checks/CheckThreadPrivate.h"

void cufort::frontend::checkCuda(Fortran::semantics::SemanticsContext &context,
                                 const Fortran::parser::Program &program) {
  checkDeclarations(context);
  checkAllocations(context, program);
  checkAssignments(context, program);
  checkBranches(context, program);
  checkComputedArrays(context, program);
  checkConditions(context, program);
  checkConstantArguments(context, program);
  checkCopies(context, program);
  checkExternalCalls(context, program);
  checkFormats(context, program);
  checkDeviceAddresses(context, program);
  checkDeviceStatements(context, program);
  checkHostComponents(context, program);
  checkInterfaces(context, program);
  checkLaunches(context, program);
  checkKernelLoops(context, program);
  checkMemoryMode(context, program);
  checkPointerAssignments(context, program);
  checkReduceClauses(context, program);
  checkReductionStreams(context, program);
  checkStatusVariables(context, program);
  checkThreadPrivate(context, program);
  checkVectorSubscripts(context, program);
}
