import ArgumentParser
import Foundation
import Roost

struct RemoveModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an installed model.",
        discussion: """
            Stores that use the model can still be read, exported and searched by words (`roost query --mode \
            text`), but not searched by meaning, and no texts can be added. If the current store uses the \
            model, Roost asks for confirmation.

            Examples:
              roost model remove bge-small-en-v1.5
              roost model remove fast
            """)

    @Argument(
        help: ArgumentHelp("The model's name, as in `roost model list`.", valueName: "MODEL"))
    var name: String

    @OptionGroup var options: StoreOptions

    @Flag(name: .shortAndLong, help: "Skip the confirmation if the store uses the model.")
    var yes = false

    func run() async throws {
        guard try isPermitted() else {
            options.note("nothing was removed")
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
        let removed = try UserDirectories().models.remove(name)
        Terminal.write("removed \(removed)")
    }

    /// Returns whether the model may be removed, although the current store may use it.
    private func isPermitted() throws -> Bool {
        let location = try options.location()
        guard !yes, let manifest = try? StoreManifest.read(in: location) else { return true }
        let name = ModelLibrary.aliases[name.lowercased()] ?? name
        guard manifest.space.model == name, UserDirectories().models.names().contains(name) else {
            return true
        }
        guard Confirmation.isPossible else {
            throw CommandError(
                .usage,
                "cannot remove the model \(name) without confirmation: the store in \(location.path) uses "
                    + "it; use --yes to remove it")
        }
        return try Confirmation.ask("the store in \(location.path) uses the model; remove \(name)?")
    }
}
