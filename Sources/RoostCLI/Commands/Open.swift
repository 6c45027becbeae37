import ArgumentParser
import Foundation
import RoostFiles
import RoostServer

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the store in the browser.",
        discussion: """
            The page shows the clusters as a map and a tree, searches, and edits. If a server of the store \
            runs on this computer, this command opens its page; otherwise, it serves the page until you press \
            Ctrl-C. The address that it prints contains the token.

            Examples:
              roost open
              roost open --store ~/notes-store --read-only
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Start a server at this port; 0 chooses a free one.", valueName: "PORT"))
    var port: Int?

    @Flag(name: .long, help: "Refuse requests that change the store.")
    var readOnly = false

    @Flag(name: .long, help: "Only print the address.")
    var noBrowser = false

    func run() async throws {
        let (options, opens, folder) = (options, !noBrowser, UserDirectories().data)
        let open: @Sendable (String) -> Void = { address in
            Terminal.write(address)
            guard opens else { return }
            do {
                try Self.openBrowser(address, from: folder)
            } catch {
                options.note("cannot open a browser; open the address above")
            }
        }
        if port == nil, let running = RunningServer.of(try options.location()),
            running.isReadOnly == readOnly
        {
            let token = try AccessToken.read(orCreateAt: UserDirectories().serverToken)
            options.detail("a server of the store is running")
            return open("\(running.address)#token=\(token.text)")
        }
        var server = try Serve.parse(["--log", "error", "--port", "\(port ?? 0)"])
        (server.options, server.readOnly) = (options, readOnly)
        try await server.serve(open)
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
