import ArgumentParser
import Foundation
import RoostFiles

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the store in the browser.",
        discussion: """
            The page shows the clusters as a map and a tree, searches, and edits. This command serves it from \
            this computer until you press Ctrl-C; the address that it prints contains the token.

            Examples:
              roost open
              roost open --store ~/notes-store --read-only
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "PORT"))
    var port = 0

    @Flag(name: .long, help: "Refuse requests that change the store.")
    var readOnly = false

    @Flag(name: .long, help: "Only print the address.")
    var noBrowser = false

    func run() async throws {
        var server = try Serve.parse(["--log", "error", "--port", "\(port)"])
        (server.options, server.readOnly) = (options, readOnly)
        let (options, opens, folder) = (options, !noBrowser, UserDirectories().data)
        try await server.serve { address in
            Terminal.write(address)
            guard opens else { return }
            do {
                try Self.openBrowser(address, from: folder)
            } catch {
                options.note("cannot open a browser; open the address above")
            }
        }
    }

    /// Opens an address by a file that only this user can read, because all users can see the arguments of programs.
    private static func openBrowser(_ address: String, from folder: URL) throws {
        let file = folder.appendingPathComponent("open.html")
        let page = """
            <!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url=\(address)"><title>Roost</title><a href="\(address)">Roost</a>

            """
        #if os(macOS)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, file.path]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try AtomicFile.write(Data(page.utf8), to: file)
        try process.run()
    }
}
