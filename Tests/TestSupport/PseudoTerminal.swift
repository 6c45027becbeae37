public import Foundation

/// Runs a command whose output goes to a pseudo-terminal, as it does for a person.
public enum PseudoTerminal {
    /// Runs a command until it ends.
    ///
    /// - Parameters:
    ///   - command: The command; its standard input is empty.
    ///   - folder: The current folder.
    ///   - environment: All environment variables.
    /// - Returns: The bytes that the terminal received, from standard output and standard error.
    public static func output(
        of command: URL, _ arguments: [String], in folder: URL, environment: [String: String]
    ) throws -> Data {
        var (master, slave): (Int32, Int32) = (-1, -1)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(master) }
        let process = Process()
        process.executableURL = command
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        do {
            try TestTool.start(process)
        } catch {
            close(slave)
            throw error
        }
        close(slave)
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(master, &buffer, buffer.count)
            // Linux reports EIO when the last process has closed the terminal.
            guard count > 0 else { break }
            received.append(contentsOf: buffer[..<count])
        }
        process.waitUntilExit()
        return received
    }
}
