// Procedures of UNIX and VAX Fortran that programs call without an interface, and that Flang's runtime lacks. A
// program may have a procedure of its own under each of these names.
#pragma once

#include <cstdint>

#define SERVICE_PROCEDURE __attribute__((weak))

extern "C" {

/// DTIME: processor seconds since the last call, or since the start; `times` gets those of the program and of the
/// system for it.
SERVICE_PROCEDURE float dtime_(float *times);

/// ITIME: hour, minute and second of the local time.
SERVICE_PROCEDURE void itime_(std::int32_t *time);

/// IDATE with one argument: day, month and year.
SERVICE_PROCEDURE void idate_(std::int32_t *date);

/// IDATE with three arguments, of VAX Fortran: the year has two digits. `own` is what has the name IDATE; if it is not
/// the procedure above, it is called.
void cufortIdate(void *own, std::int32_t *month, std::int32_t *day, std::int32_t *year);

/// ACCESS: 0 if the process may do what the letters r, w and x in `mode` say with the file `name`, or, without any, if
/// there is such a file; else what the operating system says is wrong. `own` is what has the name ACCESS; if it is the
/// program's, it is called.
using Access = std::int32_t (*)(const char *, const char *, std::int64_t, std::int64_t);
std::int32_t cufortAccess(Access own, const char *name, const char *mode, std::int64_t nameLength,
                          std::int64_t modeLength);

/// TIMEF: milliseconds of real time since the first call.
SERVICE_PROCEDURE double timef_();

/// RTC: seconds since the beginning of 1970.
SERVICE_PROCEDURE double rtc_();

/// IRTC: nanoseconds since the beginning of 1970.
SERVICE_PROCEDURE std::int64_t irtc_();

/// TIMES: `ticks` gets the processor time of the program, of the system for it, and those of its children that have
/// ended. Returns the real time since some moment. All in units of which sysconf(_SC_CLK_TCK) are a second, mostly 100.
SERVICE_PROCEDURE std::int32_t times_(std::int64_t *ticks);

/// LTIME and GMTIME: `parts` gets second, minute, hour, day of the month, months since January, years since 1900, days
/// since Sunday, days since the first of January and whether summer time is in force, at `seconds` since the beginning
/// of 1970: local time or that of Greenwich.
SERVICE_PROCEDURE void ltime_(const std::int32_t *seconds, std::int32_t *parts);
SERVICE_PROCEDURE void gmtime_(const std::int32_t *seconds, std::int32_t *parts);

/// CTIME: the local time at `seconds` since the beginning of 1970, such as `Sun Sep 16 01:03:52 1973`.
SERVICE_PROCEDURE void ctime_(char *result, std::int64_t length, const std::int32_t *seconds);

/// RAN: the next of the numbers from 0 to below 1 that follow from `seed`, as on VAX.
SERVICE_PROCEDURE float ran_(std::int32_t *seed);

/// DRAND and DRANDM: the next of the numbers from 0 to below 1 that follow from the last `flag` that was not 0.
SERVICE_PROCEDURE double drand_(const std::int32_t *flag);
SERVICE_PROCEDURE double drandm_(const std::int32_t *flag);

/// GERROR: what the last failure of the operating system was.
SERVICE_PROCEDURE void gerror_(char *text, std::int64_t length);

/// RINDEX: where `part` begins in `text` for the last time, or 0.
SERVICE_PROCEDURE std::int32_t rindex_(const char *text, const char *part, std::int64_t textLength,
                                       std::int64_t partLength);

/// ISATTY: 1 (true) if the unit `unit` is connected to a terminal, else 0.
SERVICE_PROCEDURE std::int32_t isatty_(const std::int32_t *unit);

/// STAT and LSTAT: `values` gets device, inode, mode, links, owner, group, device of a special file, bytes, the times
/// of the last access, modification and change, bytes of a block, and blocks of the file `name`; of a symbolic link
/// itself with LSTAT. Returns 0, or what the operating system says is wrong.
SERVICE_PROCEDURE std::int32_t stat_(const char *name, std::int32_t *values, std::int64_t length);
SERVICE_PROCEDURE std::int32_t lstat_(const char *name, std::int32_t *values, std::int64_t length);
}
