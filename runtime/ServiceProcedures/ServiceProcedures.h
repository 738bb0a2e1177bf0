// Procedures of UNIX and VAX Fortran that programs call without an interface, and that Flang's runtime lacks, or that
// are intrinsic there: programs that declare them EXTERNAL mean these. A program may have a procedure of its own under
// each of these names. Where nothing else is said, functions return 0, or what the operating system says is wrong.
#pragma once

#include <cstdint>

#define SERVICE_PROCEDURE __attribute__((weak))

extern "C" {

/// DTIME: processor seconds since the last call, or since the start; `times` gets those of the program and of the
/// system for it.
SERVICE_PROCEDURE float dtime_(float *times);

/// ETIME and SECOND: the same since the start.
SERVICE_PROCEDURE float etime_(float *times);
SERVICE_PROCEDURE float second_();

/// TIME: seconds since the beginning of 1970.
SERVICE_PROCEDURE std::int32_t time_();

/// DATE: the day in local time, such as `05-Mar-99`.
SERVICE_PROCEDURE void date_(char *text, std::int64_t length);

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

/// RANDOM and IRANDM: the same as a real number and as an integer from 0 to below 2**31.
SERVICE_PROCEDURE float random_(const std::int32_t *flag);
SERVICE_PROCEDURE std::int32_t irandm_(const std::int32_t *flag);

/// RAND and IRAND: the next of the numbers that follow from the seed that SRAND of Flang's runtime got.
SERVICE_PROCEDURE float rand_();
SERVICE_PROCEDURE std::int32_t irand_();

/// GERROR: what the last failure of the operating system was.
SERVICE_PROCEDURE void gerror_(char *text, std::int64_t length);

/// RINDEX: where `part` begins in `text` for the last time, or 0.
SERVICE_PROCEDURE std::int32_t rindex_(const char *text, const char *part, std::int64_t textLength,
                                       std::int64_t partLength);

/// LNBLNK: the length of `text` without the blanks at its end.
SERVICE_PROCEDURE std::int32_t lnblnk_(const char *text, std::int64_t length);

/// ISATTY: 1 (true) if the unit `unit` is connected to a terminal, else 0.
SERVICE_PROCEDURE std::int32_t isatty_(const std::int32_t *unit);

/// STAT and LSTAT: `values` gets device, inode, mode, links, owner, group, device of a special file, bytes, the times
/// of the last access, modification and change, bytes of a block, and blocks of the file `name`; of a symbolic link
/// itself with LSTAT. FSTAT asks for the file of a unit.
SERVICE_PROCEDURE std::int32_t stat_(const char *name, std::int32_t *values, std::int64_t length);
SERVICE_PROCEDURE std::int32_t lstat_(const char *name, std::int32_t *values, std::int64_t length);
SERVICE_PROCEDURE std::int32_t fstat_(const std::int32_t *unit, std::int32_t *values);

/// CHMOD: gives the file `name` the permissions `mode`.
SERVICE_PROCEDURE std::int32_t chmod_(const char *name, const std::int32_t *mode, std::int64_t length);

/// UNLINK and RENAME: remove the file `name`, and give the file `from` the name `to`.
SERVICE_PROCEDURE std::int32_t unlink_(const char *name, std::int64_t length);
SERVICE_PROCEDURE std::int32_t rename_(const char *from, const char *to, std::int64_t fromLength,
                                       std::int64_t toLength);

/// FTELL: the place in the file of a unit, in bytes from its beginning, or a negative number.
SERVICE_PROCEDURE std::int32_t ftell_(const std::int32_t *unit);

/// FSEEK: goes to the place `offset` bytes from the beginning of the file, from the present place or from the end, for
/// 0, 1 and 2 as `from`.
SERVICE_PROCEDURE std::int32_t fseek_(const std::int32_t *unit, const std::int32_t *offset, const std::int32_t *from);

/// GETCWD and CHDIR: the folder in which the process works.
SERVICE_PROCEDURE std::int32_t getcwd_(char *folder, std::int64_t length);
SERVICE_PROCEDURE std::int32_t chdir_(const char *folder, std::int64_t length);

/// GETENV: the value of an environment variable, blanks if there is none. PUTENV: `NAME=value`.
SERVICE_PROCEDURE void getenv_(const char *name, char *value, std::int64_t nameLength, std::int64_t valueLength);
SERVICE_PROCEDURE std::int32_t putenv_(const char *assignment, std::int64_t length);

/// GETPID, GETUID and GETGID: the numbers of the process, of its user and of its group.
SERVICE_PROCEDURE std::int32_t getpid_();
SERVICE_PROCEDURE std::int32_t getuid_();
SERVICE_PROCEDURE std::int32_t getgid_();

/// SYSTEM: lets a shell do `command`, and returns its exit status.
SERVICE_PROCEDURE std::int32_t system_(const char *command, std::int64_t length);

/// KILL: sends a signal to a process.
SERVICE_PROCEDURE std::int32_t kill_(const std::int32_t *process, const std::int32_t *signal);

/// SIGNAL: from now on `handler` is called for `signal`, or, if `flag` is not negative, the signal has its default
/// effect, for 0, or none, for 1. Returns what was done before as such a flag, another number for a procedure, or a
/// negative number.
SERVICE_PROCEDURE std::int32_t signal_(const std::int32_t *signal, void (*handler)(std::int32_t *),
                                       const std::int32_t *flag);

/// SLEEP: for so many seconds. EXIT: ends the program with `status`; compiled code passes 0 where a call has none.
/// ABORT: at once.
SERVICE_PROCEDURE void sleep_(const std::int32_t *seconds);
SERVICE_PROCEDURE void exit_(const std::int32_t *status);
SERVICE_PROCEDURE void abort_();

/// PERROR: prints `text` and what the last failure of the operating system was.
SERVICE_PROCEDURE void perror_(const char *text, std::int64_t length);
}
