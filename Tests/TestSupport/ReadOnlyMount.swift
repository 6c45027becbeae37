import Foundation

/// Runs shell commands in which a folder is mounted read-only, as on a write-protected medium.
///
/// The mount exists only in a separate mount namespace, which requires Linux and the rights of the
/// administrator. The permissions of files would not be sufficient, because they do not apply to the
/// administrator, with whose rights tests often run in containers.
public enum ReadOnlyMount {
    /// Whether this system allows such mounts.
    public static let isAvailable: Bool = {
        let folder = FileManager.default.temporaryDirectory.path
        return (try? run("exit 0", readOnly: folder, in: folder).status) == 0
    }()

    /// The message for skipped tests.
    public static let requirement: String = "mounting a folder read-only requires Linux and root"

    /// Runs a shell script while a folder is mounted read-only.
    ///
    /// - Parameters:
    ///   - script: The script for `/bin/sh`. `$1` and the following parameters are `arguments`.
    ///   - folder: The path of the folder.
    ///   - home: The home folder and current folder of the script.
    public static func run(
        _ script: String, _ arguments: String..., readOnly folder: String, in home: String
    ) throws -> CommandLineDriver.Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" || exit 99\n"
        process.arguments = ["unshare", "--mount", "/bin/sh", "-c", mount + script, folder] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: home)
        process.environment = ["HOME": home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        process.standardInput = FileHandle.nullDevice
        try TestTool.start(process)
        return try CommandLineDriver.Running(
            process: process, input: .nullDevice, output: output.fileHandleForReading,
            error: error.fileHandleForReading
        ).outcome()
    }
}
