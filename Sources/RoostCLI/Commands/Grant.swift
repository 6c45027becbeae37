import ArgumentParser
import Foundation
import Roost

struct Grant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give a user of the database server access to the store.",
        discussion: """
            For stores in PostgreSQL, run by the user who created them. The user must exist on the server; \
            `createuser --pwprompt NAME` creates one. The access applies to all stores in the database.

            Examples:
              roost grant ann
              roost grant guest --read-only
            """,
        // It is only for stores in PostgreSQL; the guide for teams describes it.
        shouldDisplay: false)

    @Argument(help: ArgumentHelp("The user's name on the server.", valueName: "NAME"))
    var name: String

    @Flag(name: .long, help: "Permit only reading, and withdraw the right to write.")
    var readOnly = false

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let location = try options.location()
        let manifest = try StoreManifest.read(in: location)
        guard manifest.provider == .postgres, let store = manifest.store else {
            throw CommandError(
                .usage,
                "cannot grant access: the store in \(Terminal.line(location.path)) is not in PostgreSQL")
        }
        try await PostgresServers().grant(name, isReadOnly: readOnly, to: store)
        Terminal.write(
            "\(Terminal.line(name, limit: 80)) can \(readOnly ? "read" : "read and change") the store")
    }
}
