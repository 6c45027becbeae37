import CRoostKernels
import Foundation
import RoostFiles
import Synchronization

/// Reads documents in a separate process, so that a document at which a reader crashes, or for which it needs too much
/// time or memory, is one document that cannot be read.
///
/// The process is a program that calls ``serveIfRequested()`` first, such as the present one. It reads one document
/// after the other, and can neither write files nor use a network, as far as the system permits to take that from
/// it. Readers of other types than the standard ones, and those that start programs themselves, run in this process.
public struct ReaderWorker: Sendable {
    private let program: String
    private let processes = Processes()

    private static let argument = "--read-documents"
    /// The maximum number of processes that wait for the next document.
    private static let maximumIdleProcesses = 2
    private static let maximumReply = 1 << 30
    private static let installed = Mutex<ReaderWorker?>(nil)

    /// Creates a worker. Its process is started when it reads the first document.
    ///
    /// - Parameter program: The path of the program; `nil` for that of the present process.
    public init(program: String? = nil) {
        #if os(Linux)
            // It names the same program after another one has replaced its file.
            self.program = program ?? "/proc/self/exe"
        #else
            self.program = program ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    /// The worker of ``DocumentReaders/standard``; `nil` if these readers run in this process, as they do by default.
    public static var standard: ReaderWorker? {
        get { installed.withLock { $0 } }
        set { installed.withLock { $0 = newValue } }
    }

    private final class Processes: Sendable {
        let idle = Mutex<[WorkerProcess]>([])
    }

    /// Reads a document with the standard reader of a type.
    ///
    /// - Throws: ``DocumentError``, `CancellationError`. A crash and the limits of processor time and memory are
    ///   faults of the document; other failures of the process can be temporary.
    func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try await BlockingWork.run { isCancelled in
            let idle = processes.idle.withLock { $0.popLast() }
            let process =
                try idle.flatMap { $0.isRunning ? $0 : nil }
                ?? WorkerProcess(program, Self.argument)
            var request = WorkerRequest(type: type.name, input: input)
            request.input.data = Data()
            let header = try JSONEncoder().encode(request)
            let deadline = ContinuousClock.now + input.maximumWaitingTime
            guard process.send([header, input.data]) else { throw process.failure(of: input) }
            let answer = try process.receive(maximum: Self.maximumReply) {
                if isCancelled() { throw CancellationError() }
                if ContinuousClock.now > deadline {
                    throw DocumentError.programLimitExceeded("the process that reads it does not answer")
                }
            }
            guard let answer, let reply = try? JSONDecoder().decode(WorkerReply.self, from: answer) else {
                throw process.failure(of: input)
            }
            processes.idle.withLock { if $0.count < Self.maximumIdleProcesses { $0.append(process) } }
            return try reply.result.get()
        }
    }

    /// Reads documents for the process that started this one, until that ends, if this process was started as a
    /// worker; otherwise does nothing.
    public static func serveIfRequested() async {
        guard CommandLine.arguments.dropFirst() == [argument] else { return }
        roost_sandbox()
        let channel = WorkerChannel(socket: 0)
        while let header = try? channel.receive(maximum: maximumReply, check: {}),
            let data = try? channel.receive(maximum: .max, check: {}),
            var request = try? JSONDecoder().decode(WorkerRequest.self, from: header)
        {
            request.input.data = data
            roost_limit(request.input.maximumProcessorSeconds, request.input.limits.maximumProgramMemory)
            guard let reply = try? JSONEncoder().encode(await WorkerReply(to: request)),
                channel.send([reply])
            else { break }
        }
        exit(0)
    }
}

extension DocumentInput {
    var maximumProcessorSeconds: Int {
        Int(limits.maximumProcessorTime.components.seconds) + data.count / (256 << 10)
    }

    /// The elapsed time after which a worker that does not answer is ended. It is long, because the computer can have
    /// other work.
    fileprivate var maximumWaitingTime: Duration {
        limits.maximumTime + .seconds(10 * maximumProcessorSeconds)
    }
}

/// The question for a document, whose bytes follow.
private struct WorkerRequest: Codable {
    var type: String
    var input: DocumentInput
}

/// The documents that a worker has read, or the reason why it could not.
private struct WorkerReply: Codable {
    private var contents = DocumentContents([])
    private var error: DocumentError?

    init(to request: WorkerRequest) async {
        do {
            guard let match = DocumentReaders.isolated.match(type: request.type) else {
                throw DocumentError.unsupported("the program that reads documents is of another version")
            }
            contents = try await match.reader.read(request.input, as: match.type)
            contents.documents = contents.documents.map(\.withStructure)
        } catch {
            self.error = error as? DocumentError ?? .damaged("\(error)")
        }
    }

    var result: Result<DocumentContents, DocumentError> { error.map { .failure($0) } ?? .success(contents) }
}

/// A process that reads one document after the other. It ends when this value is released.
private final class WorkerProcess: Sendable {
    private let process: pid_t
    private let channel: WorkerChannel
    private let status = Mutex<Int32?>(nil)

    init(_ program: String, _ argument: String) throws {
        var sockets: [Int32] = [-1, -1]
        guard roost_socket_pair(&sockets) == 0 else {
            throw DocumentError.missingProgram(
                "the process that reads documents cannot be started: \(String(cString: strerror(errno)))")
        }
        channel = WorkerChannel(socket: sockets[0])
        defer { close(sockets[1]) }
        // Of the environment, only the variables that determine the language, the time zone and libraries.
        let names = ["LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"]
        let variables = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
        process = try DocumentError.mappingFileErrors {
            try ChildProcess.start([program, argument], environment: variables) { actions in
                posix_spawn_file_actions_adddup2(actions, sockets[1], 0)
                for output in [1, 2] as [Int32] {
                    posix_spawn_file_actions_addopen(actions, output, "/dev/null", O_WRONLY, 0)
                }
            }
        }
    }

    deinit {
        kill(process, SIGKILL)
        _ = end()
        close(channel.socket)
    }

    var isRunning: Bool {
        status.withLock { status in
            var found: Int32 = 0
            if status == nil, waitpid(process, &found, WNOHANG) != 0 {
                status = ChildProcess.exitStatus(found)
            }
            return status == nil
        }
    }

    func send(_ messages: [Data]) -> Bool { channel.send(messages) }

    func receive(maximum: Int, check: () throws -> Void) throws -> Data? {
        try channel.receive(maximum: maximum, check: check)
    }

    private func end() -> Int32 {
        status.withLock { status in
            let ended = status ?? ChildProcess.wait(for: process)
            status = ended
            return ended
        }
    }

    /// Returns the reason why the process ended, or sent an invalid reply, while it read a document.
    func failure(of input: DocumentInput) -> DocumentError {
        // A process that still runs has sent an invalid reply. The signal does not change the status of another one.
        kill(process, SIGKILL)
        let status = end()
        switch status - 128 {
        case SIGXCPU:
            return .limitExceeded(
                "reading it needs more than \(input.maximumProcessorSeconds) seconds of processor time")
        case SIGKILL: return .programLimitExceeded("the process that reads it was ended")
        default:
            let event = status < 128 ? "ended" : "crashed with signal \(status - 128)"
            return .damaged(
                "its reader \(event): it is damaged, or needs more than "
                    + "\(input.limits.maximumProgramMemory >> 20) MB of memory")
        }
    }
}

/// A connection between two processes. Each message is preceded by its length.
private struct WorkerChannel: Sendable {
    let socket: Int32

    /// Sends messages; returns whether the other process can have received them.
    func send(_ messages: [Data]) -> Bool {
        messages.allSatisfy { message in
            var writer = BinaryWriter()
            writer.write(UInt64(message.count))
            return writer.bytes.withUnsafeBytes(sendAll) && message.withUnsafeBytes(sendAll)
        }
    }

    private func sendAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = roost_send(socket, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// Receives a message; `nil` if the other process has ended, or the message exceeds the maximum.
    ///
    /// - Parameter check: It is called several times a second, and ends the wait by an error.
    func receive(maximum: Int, check: () throws -> Void) throws -> Data? {
        guard let header = try receive(count: 8, check) else { return nil }
        let count = header.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        return count <= maximum ? try receive(count: Int(count), check) : nil
    }

    private func receive(count: Int, _ check: () throws -> Void) throws -> Data? {
        var message = Data()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, 1 << 18), alignment: 16)
        defer { block.deallocate() }
        while message.count < count {
            var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&state, 1, 100) > 0 else {
                try check()
                continue
            }
            let found = read(socket, block.baseAddress, min(block.count, count - message.count))
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { return nil }
            message.append(contentsOf: block[..<found])
        }
        return message
    }
}
