#include "roost_postgres.h"

#include <stddef.h>

#if defined(__linux__)

#include <libpq-fe.h>
#include "roost_loader.h"

static struct roost_library library = {
    .names = {"libpq.so.5"},
    .probe = "PQpipelineSync",
};

const char *roost_postgres_load(void) { return roost_library_load(&library); }

FORWARD(
    PGconn *, PQconnectdbParams,
    (const char *const *keywords, const char *const *values, int expand_dbname),
    (keywords, values, expand_dbname))
FORWARD(void, PQfinish, (PGconn *conn), (conn))
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg), (conninfo, errmsg))
FORWARD(void, PQconninfoFree, (PQconninfoOption *connOptions), (connOptions))
FORWARD(PGcancel *, PQgetCancel, (PGconn *conn), (conn))
FORWARD(void, PQfreeCancel, (PGcancel *cancel), (cancel))
FORWARD(int, PQcancel, (PGcancel *cancel, char *errbuf, int errbufsize), (cancel, errbuf, errbufsize))
FORWARD(ConnStatusType, PQstatus, (const PGconn *conn), (conn))
FORWARD(PGTransactionStatusType, PQtransactionStatus, (const PGconn *conn), (conn))
FORWARD(char *, PQerrorMessage, (const PGconn *conn), (conn))
FORWARD(int, PQsocket, (const PGconn *conn), (conn))
FORWARD(
    PQnoticeProcessor, PQsetNoticeProcessor,
    (PGconn *conn, PQnoticeProcessor proc, void *arg),
    (conn, proc, arg))
FORWARD(int, PQsendQuery, (PGconn *conn, const char *query), (conn, query))
FORWARD(
    int, PQsendPrepare,
    (PGconn *conn, const char *stmtName, const char *query, int nParams, const Oid *paramTypes),
    (conn, stmtName, query, nParams, paramTypes))
FORWARD(
    int, PQsendQueryPrepared,
    (PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues, const int
     *paramLengths, const int *paramFormats, int resultFormat),
    (conn, stmtName, nParams, paramValues, paramLengths, paramFormats, resultFormat))
FORWARD(PGresult *, PQgetResult, (PGconn *conn), (conn))
FORWARD(int, PQisBusy, (PGconn *conn), (conn))
FORWARD(int, PQconsumeInput, (PGconn *conn), (conn))
FORWARD(int, PQenterPipelineMode, (PGconn *conn), (conn))
FORWARD(int, PQexitPipelineMode, (PGconn *conn), (conn))
FORWARD(int, PQpipelineSync, (PGconn *conn), (conn))
FORWARD(int, PQputCopyData, (PGconn *conn, const char *buffer, int nbytes), (conn, buffer, nbytes))
FORWARD(int, PQputCopyEnd, (PGconn *conn, const char *errormsg), (conn, errormsg))
FORWARD(int, PQsetnonblocking, (PGconn *conn, int arg), (conn, arg))
FORWARD(int, PQflush, (PGconn *conn), (conn))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *res), (res))
FORWARD(char *, PQresultErrorField, (const PGresult *res, int fieldcode), (res, fieldcode))
FORWARD(int, PQntuples, (const PGresult *res), (res))
FORWARD(char *, PQgetvalue, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
FORWARD(int, PQgetlength, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
FORWARD(int, PQgetisnull, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
FORWARD(void, PQclear, (PGresult *res), (res))
FORWARD(void, PQfreemem, (void *ptr), (ptr))

#else

// On other systems, the program is linked to the library.
const char *roost_postgres_load(void) { return NULL; }

#endif
