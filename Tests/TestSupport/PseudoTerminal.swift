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

    /// The time in seconds within which a command must show the awaited text.
    private static let patience = 60.0

    /// Runs a command with a person at the keyboard until it ends.
    ///
    /// - Parameters:
    ///   - size: The numbers of columns and rows of the terminal.
    ///   - steps: The texts to wait for, each with the keys that are pressed when it has appeared.
    /// - Returns: The exit status, and the bytes that the terminal received.
    /// - Throws: `CocoaError` if an awaited text does not appear in time, or the command does not end in time
    ///   after the last of them.
    public static func conversation(
        with command: URL, _ arguments: [String], in folder: URL, environment: [String: String],
        size: (columns: UInt16, rows: UInt16) = (80, 24), steps: [(text: String, keys: String)]
    ) throws -> (status: Int32, output: Data) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &window) == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(master) }
        let process = Process()
        process.executableURL = command
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment
        for key in [\Process.standardInput, \.standardOutput, \.standardError] {
            process[keyPath: key] = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        }
        defer { if process.isRunning { process.terminate() } }
        do {
            try TestTool.start(process)
        } catch {
            close(slave)
            throw error
        }
        close(slave)
        var received = Data()
        var start = 0
        for (text, keys) in steps {
            let deadline = Date().addingTimeInterval(patience)
            while received[start...].range(of: Data(text.utf8)) == nil {
                guard Date() < deadline, receive(from: master, into: &received) else {
                    throw CocoaError(.fileReadUnknown, userInfo: ["awaited": text, "received": received])
                }
            }
            start = received.count
            let bytes = Array(keys.utf8)
            guard write(master, bytes, bytes.count) == bytes.count else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        let deadline = Date().addingTimeInterval(patience)
        while receive(from: master, into: &received) {
            guard Date() < deadline else {
                throw CocoaError(.fileReadUnknown, userInfo: ["awaited": "the end", "received": received])
            }
        }
        process.waitUntilExit()
        return (process.terminationStatus, received)
    }

    /// Reads the bytes that the terminal receives within a second; returns `false` when it was closed.
    private static func receive(from terminal: Int32, into received: inout Data) -> Bool {
        var input = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 1000) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(terminal, &buffer, buffer.count)
        if count > 0 { received.append(contentsOf: buffer[..<count]) }
        return count > 0
    }
}
