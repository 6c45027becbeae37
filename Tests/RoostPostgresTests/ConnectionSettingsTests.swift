import Foundation
import RoostModel
import Testing

@testable import RoostPostgres

struct ConnectionSettingsTests {
    @Test(arguments: [
        "postgresql://ann:s%20ecret@db.example.org:5433/notes?sslmode=verify-full",
        "host=db.example.org port=5433 user=ann password='s ecret' dbname=notes sslmode=verify-full",
    ]) func `the stored address has no password`(address: String) throws {
        let settings = try ConnectionSettings(address)
        #expect(settings.hasPassword)
        #expect(settings.displayName == "db.example.org:5433/notes")
        let stored = settings.addressWithoutSecrets
        #expect(!stored.contains("ecret"))
        let again = try ConnectionSettings(stored)
        #expect(!again.hasPassword)
        var expected = settings.values
        expected["password"] = nil
        #expect(again.values == expected)
        #expect(again.addressWithoutSecrets == stored)
    }

    @Test(arguments: [
        ("postgresql://db.example.org/notes", "db.example.org/notes"), ("service=team", "service team"),
        ("host=db port=5433", "db:5433"),
    ]) func `an address has a name for messages`(address: String, name: String) throws {
        #expect(try ConnectionSettings(address).displayName == name)
    }

    @Test func `values with quotation marks and backslashes are preserved`() throws {
        let settings = try ConnectionSettings(#"user='it\'s' dbname='a\\b c'"#)
        #expect(settings.values["user"] == "it's")
        #expect(settings.values["dbname"] == #"a\b c"#)
        #expect(try ConnectionSettings(settings.addressWithoutSecrets).values == settings.values)
    }

    @Test(arguments: [
        "postgresql://ann:hunter2@[db/notes", "password=hunter2 nonsense", "colour=blue password=hunter2",
        "postgresql://ann:hunter2@db/notes?colour=blue", "host=a\0b password=hunter2",
    ]) func `an invalid address is reported without its text`(address: String) {
        let error = #expect(throws: StorageError.self) { _ = try ConnectionSettings(address) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `a password is removed from messages`() throws {
        let settings = try ConnectionSettings("postgresql://ann:hunter2@db/notes")
        #expect(settings.redacted("bad password hunter2\nsecond line") == "bad password ***")
        #expect(settings.redacted("") == "unknown error")
    }
}
