import Foundation
import TestSupport
import Testing

/// Tests of the completion scripts.
@Suite(.temporaryFolders) struct CompletionTests {
    private let cli = CommandLineDriver()

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell accepts its completion script`(shell: String) throws {
        let script = try cli.roost("--generate-completion-script", shell)
        #expect(script.status == 0 && script.output.contains("recluster"), "\(script.error)")
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { return }
        let file = cli.home.appendingPathComponent("roost.\(shell)")
        try Data(script.output.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(shell)")
        process.arguments = ["-n", file.path]
        try TestTool.start(process)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
