import RoostModel
import Testing

@testable import RoostPostgres

struct ErrorMappingTests {
    private let mapping = ErrorMapping(name: "db.example.org/notes")

    @Test(arguments: [
        ("25006", StorageError.Code.readOnly, "primary server"), ("42501", .readOnly, "grant"),
        ("42P01", .notFound, "create the tables"), ("53100", .full, "free space"),
        ("57014", .locked, "statement timeout"), ("55P03", .locked, "lock timeout"),
        ("42883", .unsupported, "feature"), ("57P05", .unavailable, "try again later"),
        ("XX001", .damaged, "restore a backup"), ("57P01", .unavailable, "try again later"),
        ("40001", .unavailable, "try again later"), ("22012", .inputOutput, "22012"),
    ]) func `a rejected statement is reported with the next step`(
        state: String, code: StorageError.Code, step: String
    ) {
        let error = mapping.storageError(.rejected(state: state, message: "the cause"))
        #expect(error.code == code)
        #expect(error.message.hasPrefix("db.example.org/notes: the cause; ") || code == .inputOutput)
        #expect(error.message.contains(step))
    }

    @Test(arguments: [
        ("connection to server failed: Connection refused", true),
        ("FATAL:  the database system is starting up", true),
        ("FATAL:  the database system is not yet accepting connections", true),
        ("FATAL:  sorry, too many clients already", true),
        ("FATAL:  too many connections for database \"notes\"", true),
        ("FATAL:  terminating connection due to administrator command", true),
        ("connection to server on socket \"/run/.s.PGSQL.5432\" failed: No such file or directory", true),
        ("FATAL:  password authentication failed for user \"ann\"", false),
        ("FATAL:  database \"notes\" does not exist", false),
        ("root certificate file \"/home/ann/.postgresql/root.crt\" does not exist", false),
    ]) func `refused connections are repeated only if that can help`(message: String, isTemporary: Bool) {
        let error = ConnectionError.refused(message: message)
        #expect(error.isTemporary == isTemporary)
        #expect(mapping.storageError(error).isRetryable == isTemporary)
        #expect(mapping.storageError(error).code == (isTemporary ? .unavailable : .configuration))
    }

    @Test(arguments: [
        ("FATAL:  password authentication failed for user \"ann\"", "PGPASSWORD"),
        ("FATAL:  database \"notes\" does not exist", "names of the database"),
        ("root certificate file \"root.crt\" does not exist", "sslrootcert"),
        ("server does not support SSL, but SSL was required", "sslmode"),
        ("FATAL:  no pg_hba.conf entry for host \"::1\", user \"ann\", SSL encryption", "let pg_hba.conf"),
        ("FATAL:  too many connections for role \"ann\"", "close other clients"),
        ("could not translate host name \"db\" to address", "address is right"),
        ("connection to server on socket \"/run/.s\" failed: No such file or directory", "(PGHOST)"),
    ]) func `a refused connection is reported with the next step`(message: String, step: String) {
        #expect(mapping.storageError(.refused(message: message)).message.contains(step))
    }

    @Test func `an owner is named only where privileges are not enough`() {
        func step(_ message: String) -> String {
            mapping.storageError(.rejected(state: "42501", message: message)).message
        }
        #expect(step("must be owner of table vectors").contains("who created the tables"))
        #expect(step("permission denied for schema roost").contains("grant the privileges"))
    }

    @Test func `only a rejection within a session excludes a commit`() {
        #expect(ConnectionError.rejected(state: "40001", message: "").excludesCommit)
        #expect(ConnectionError.rejected(state: "23505", message: "").excludesCommit)
        // The session can end after the commit, and 40003 means that the outcome is unknown.
        for state in ["57P01", "57P02", "08006", "40003"] {
            #expect(!ConnectionError.rejected(state: state, message: "").excludesCommit)
        }
        #expect(!ConnectionError.lost(message: "").excludesCommit)
        #expect(!ConnectionError.timedOut.excludesCommit)
    }
}
