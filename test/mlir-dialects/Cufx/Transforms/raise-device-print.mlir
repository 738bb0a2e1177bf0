// The runtime calls of one output statement in device code become one cufx.print, or, if a number is infinite or none,
// for which vprintf has other names, another one or calls of the device library; STOP becomes cufx.trap.
// RUN: %cufort-opt --cufx-raise-device-print %s | FileCheck %s

func.func private @_FortranAioBeginExternalListOutput(i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
func.func private @_FortranAioEndIoStatement(!fir.ref<i8>) -> i32

// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%{{.*}}: i32, %{{.*}}: !fir.ref<i8>, %[[I:.*]]: i32, %[[L:.*]]: i64, %[[X:.*]]: f32, %[[D:.*]]: f64)
func.func @numbers(%unit: i32, %file: !fir.ref<i8>, %i: i32, %l: i64, %x: f32, %d: f64)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK: %[[XBITS:.*]] = arith.bitcast %[[X]] : f32 to i32
  // CHECK: %[[XINF:.*]] = arith.constant 2139095040 : i32
  // CHECK: %[[XEXPONENT:.*]] = arith.andi %[[XBITS]], %[[XINF]] : i32
  // CHECK: %[[XSPECIAL:.*]] = arith.cmpi eq, %[[XEXPONENT]], %[[XINF]] : i32
  // CHECK: fir.if %[[XSPECIAL]] {
  // CHECK: arith.bitcast %[[D]] : f64 to i64
  // CHECK: %[[DSPECIAL:.*]] = arith.cmpi eq
  // CHECK: fir.if %[[DSPECIAL]] {
  // CHECK: %[[XNAME:.*]] = fir.call @cufortSpecialName(%{{.*}}) : (f64) -> !fir.ref<i8>
  // CHECK: %[[DNAME:.*]] = fir.call @cufortSpecialName(%[[D]])
  // CHECK-NEXT: cufx.print " %d %lld %s %s\0A", %[[I]], %[[L]], %[[XNAME]], %[[DNAME]]
  // CHECK-NEXT: } else {
  // CHECK: cufx.print " %d %lld %s %#.16g\0A", %[[I]], %[[L]], %{{.*}}, %[[D]] :
  // CHECK: } else {
  // CHECK: fir.if %{{.*}} {
  // CHECK: cufx.print " %d %lld %#.8g %s\0A",
  // CHECK-NEXT: } else {
  // CHECK-NOT: fir.call
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  %2 = fir.call @_FortranAioOutputInteger64(%0, %l) : (!fir.ref<i8>, i64) -> i1
  // CHECK: %[[WIDE:.*]] = fir.convert %[[X]] : (f32) -> f64
  %3 = fir.call @_FortranAioOutputReal32(%0, %x) : (!fir.ref<i8>, f32) -> i1
  %4 = fir.call @_FortranAioOutputReal64(%0, %d) : (!fir.ref<i8>, f64) -> i1
  // CHECK: cufx.print " %d %lld %#.8g %#.16g\0A", %[[I]], %[[L]], %[[WIDE]], %[[D]] : i32, i64, f64, f64
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %5 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// The text of a line with more numbers is put together.
// CHECK-LABEL: func.func @many_numbers
// CHECK-SAME: %[[X:[^:]*]]: f32, %[[D:.*]]: f64, %[[E:.*]]: f64)
func.func @many_numbers(%unit: i32, %file: !fir.ref<i8>, %x: f32, %d: f64, %e: f64)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK: %[[ANY:.*]] = arith.ori
  // CHECK: %[[SPECIAL:.*]] = arith.ori %[[ANY]],
  // CHECK: fir.if %[[SPECIAL]] {
  // CHECK: fir.call @cufortLineBegin(%[[LINE:[^)]*]])
  // CHECK: fir.call @cufortLineReal(%[[LINE]],
  // CHECK: fir.call @cufortLineReal(%[[LINE]], %[[D]],
  // CHECK: fir.call @cufortLineReal(%[[LINE]], %[[E]],
  // CHECK: cufx.print "%s\0A"
  // CHECK: fir.call @cufortLineEnd(%[[LINE]])
  // CHECK: } else {
  // CHECK-NOT: fir.call
  // CHECK: cufx.print " %#.8g %#.16g %#.16g\0A",
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.call @_FortranAioOutputReal32(%0, %x) : (!fir.ref<i8>, f32) -> i1
  %2 = fir.call @_FortranAioOutputReal64(%0, %d) : (!fir.ref<i8>, f64) -> i1
  %3 = fir.call @_FortranAioOutputReal64(%0, %e) : (!fir.ref<i8>, f64) -> i1
  %4 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// Short integers are printed as default ones.
// CHECK-LABEL: func.func @short_integers
// CHECK-SAME: %[[A:[^:]*]]: i8, %[[B:.*]]: i16)
func.func @short_integers(%unit: i32, %file: !fir.ref<i8>, %a: i8, %b: i16)
    attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // CHECK: %[[A32:.*]] = fir.convert %[[A]] : (i8) -> i32
  %1 = fir.call @_FortranAioOutputInteger8(%0, %a) : (!fir.ref<i8>, i8) -> i1
  // CHECK: %[[B32:.*]] = fir.convert %[[B]] : (i16) -> i32
  %2 = fir.call @_FortranAioOutputInteger16(%0, %b) : (!fir.ref<i8>, i16) -> i1
  // CHECK: cufx.print " %d %d\0A", %[[A32]], %[[B32]] : i32, i32
  %3 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// CHECK-LABEL: func.func @logical_and_complex
// CHECK-SAME: %[[L:[^:]*]]: i1, %[[RE:.*]]: f64, %[[IM:.*]]: f64)
func.func @logical_and_complex(%unit: i32, %file: !fir.ref<i8>, %l: i1, %re: f64, %im: f64)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // The characters T and F.
  // CHECK: cufx.print " %c (%#.16g,%s)\0A"
  // CHECK: %[[T:.*]] = arith.constant 84 : i32
  // CHECK: %[[F:.*]] = arith.constant 70 : i32
  // CHECK: %[[C:.*]] = arith.select %[[L]], %[[T]], %[[F]] : i32
  %1 = fir.call @_FortranAioOutputLogical(%0, %l) : (!fir.ref<i8>, i1) -> i1
  %2 = fir.call @_FortranAioOutputComplex64(%0, %re, %im) : (!fir.ref<i8>, f64, f64) -> i1
  // CHECK: cufx.print " %c (%#.16g,%#.16g)\0A", %[[C]], %[[RE]], %[[IM]] : i32, f64, f64
  %3 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

fir.global linkonce @text constant : !fir.char<1,9> {
  %0 = fir.string_lit "100% done"(9) : !fir.char<1,9>
  fir.has_value %0 : !fir.char<1,9>
}
// A character constant becomes part of the format, in which % is doubled.
// CHECK-LABEL: func.func @character_constant
func.func @character_constant(%unit: i32, %file: !fir.ref<i8>, %n: i64, %i: i32)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c9 = arith.constant 9 : index
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.address_of(@text) : !fir.ref<!fir.char<1,9>>
  %2 = fir.declare %1 typeparams %c9 {uniq_name = "text"} : (!fir.ref<!fir.char<1,9>>, index) -> !fir.ref<!fir.char<1,9>>
  %3 = fir.convert %2 : (!fir.ref<!fir.char<1,9>>) -> !fir.ref<i8>
  %4 = fir.call @_FortranAioOutputAscii(%0, %3, %n) : (!fir.ref<i8>, !fir.ref<i8>, i64) -> i1
  %5 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  // CHECK: cufx.print " 100%% done %d\0A", %{{.*}} : i32
  %6 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// A constant that is no single literal, such as an element of a PARAMETER array.
fir.global @words constant : !fir.array<2x!fir.char<1>> {
  %0 = fir.zero_bits !fir.array<2x!fir.char<1>>
  fir.has_value %0 : !fir.array<2x!fir.char<1>>
}
// Other strings are copied, with a zero behind them. Adjacent ones are not separated.
// CHECK-LABEL: func.func @strings
// CHECK-SAME: %[[TEXT:[^:]*]]: !fir.ref<i8>)
func.func @strings(%unit: i32, %file: !fir.ref<i8>, %i: i32, %text: !fir.ref<i8>)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-DAG: %[[FIRST:.*]] = fir.alloca !fir.array<6xi8>
  // CHECK-DAG: %[[SECOND:.*]] = fir.alloca !fir.array<2xi8>
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // CHECK: %[[FROM:.*]] = fir.convert %[[TEXT]] : (!fir.ref<i8>) -> !fir.ref<!fir.array<?xi8>>
  // CHECK: %[[TO:.*]] = fir.convert %[[FIRST]] : (!fir.ref<!fir.array<6xi8>>) -> !fir.ref<!fir.array<?xi8>>
  // CHECK: fir.do_loop %[[I:.*]] = %{{.*}} to %{{.*}} step
  // CHECK: %[[AT:.*]] = fir.coordinate_of %[[FROM]], %[[I]]
  // CHECK: %[[CHARACTER:.*]] = fir.load %[[AT]]
  // CHECK: fir.store %[[CHARACTER]] to
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK: fir.store %[[ZERO]] to
  %1 = fir.call @_FortranAioOutputAscii(%0, %text, %five) : (!fir.ref<i8>, !fir.ref<i8>, i64) -> i1
  %2 = fir.address_of(@words) : !fir.ref<!fir.array<2x!fir.char<1>>>
  %3 = fir.convert %2 : (!fir.ref<!fir.array<2x!fir.char<1>>>) -> !fir.ref<i8>
  // CHECK: %[[TO2:.*]] = fir.convert %[[SECOND]]
  %4 = fir.call @_FortranAioOutputAscii(%0, %3, %one) : (!fir.ref<i8>, !fir.ref<i8>, i64) -> i1
  %5 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  // CHECK: cufx.print " %s%s %d\0A", %[[TO]], %[[TO2]], %{{.*}} : !fir.ref<!fir.array<?xi8>>, !fir.ref<!fir.array<?xi8>>, i32
  %6 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// CHECK-LABEL: func.func @empty_line
func.func @empty_line(%unit: i32, %file: !fir.ref<i8>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // CHECK: cufx.print "\0A"
  // CHECK-NEXT: return
  %1 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// Device output cannot fail: an item's status is true, the statement's 0.
// CHECK-LABEL: func.func @status
func.func @status(%unit: i32, %file: !fir.ref<i8>, %i: i32) -> (i1, i32)
    attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // CHECK: %[[OK:.*]] = arith.constant true
  // CHECK: cufx.print " %d\0A", %{{.*}} : i32
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  %2 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  // CHECK: return %[[OK]], %[[ZERO]]
  return %1, %2 : i1, i32
}

// CHECK-LABEL: func.func @stop
func.func @stop(%code: i32, %text: !fir.ref<i8>, %n: i64, %p: i1) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NEXT: cufx.trap "stop statement"
  fir.call @_FortranAStopStatement(%code, %p, %p) : (i32, i1, i1) -> ()
  // CHECK-NEXT: cufx.trap "stop statement"
  fir.call @_FortranAStopStatementText(%text, %n, %p, %p) : (!fir.ref<i8>, i64, i1, i1) -> ()
  return
}

// The host's runtime library prints for the host.
// CHECK-LABEL: func.func @host
func.func @host(%unit: i32, %file: !fir.ref<i8>, %i: i32, %p: i1) {
  // CHECK: fir.call @_FortranAioBeginExternalListOutput
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // CHECK: fir.call @_FortranAioOutputInteger32
  %1 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  // CHECK: fir.call @_FortranAioEndIoStatement
  %2 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  // CHECK: fir.call @_FortranAStopStatement
  fir.call @_FortranAStopStatement(%i, %p, %p) : (i32, i1, i1) -> ()
  return
}
