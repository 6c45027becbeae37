import Foundation
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests of readers in a separate process: the documents are the same, and a document that ends the process, or exceeds
/// a limit, is one document that cannot be read.
@Suite struct ReaderWorkerTests {
    private static let worker = ReaderWorker(program: TestTool.url("roost").path)
    private static let readers = DocumentReaders(FuzzKind.readers.readers, worker: worker)

    private static func read(
        _ text: String, _ name: String, in worker: ReaderWorker = worker, limits: DocumentLimits = .init()
    ) async throws -> [Document] {
        let input = DocumentInput(data: Data(text.utf8), path: name, limits: limits)
        var readers = readers
        readers.worker = worker
        return try await readers.read(input, with: try #require(readers.match(input))).documents
    }

    /// A message with nested groups in its sender, which end GMime 3.2.13.
    private static let crash =
        "From: " + String(repeating: "a:", count: 75_000)
        + "\nMessage-ID: <1@example.org>\nDate: today\n\nHi\n"

    @Test func `Documents are the same as those of readers in this process`() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: DocumentFixture.folder.path).sorted()
        var count = 0
        for name in files {
            let input = try DocumentFixture.input(name)
            guard let match = Self.readers.match(input) else { continue }
            let (here, there): (Result<DocumentContents, any Error>, Result<DocumentContents, any Error>)
            do { here = .success(try await match.reader.read(input, as: match.type)) } catch {
                here = .failure(error)
            }
            do { there = .success(try await Self.readers.read(input, with: match)) } catch {
                there = .failure(error)
            }
            switch (here, there) {
            case (.success(var expected), .success(var contents)):
                expected.documents = expected.documents.map(\.withStructure)
                contents.documents = contents.documents.map(\.withStructure)
                #expect(contents == expected, "\(name)")
                count += 1
            case (.failure(let expected), .failure(let error)):
                #expect("\(error)" == "\(expected)", "\(name)")
            default: Issue.record("\(name): \(here), \(there)")
            }
        }
        #expect(count > 20)
    }

    @Test func `A crash is a fault of its document, and the next one is read`() async throws {
        await #expect(
            throws: DocumentError.damaged(
                "its reader crashed with signal 11: it is damaged, or needs more than 2048 MB of memory")
        ) { try await Self.read(Self.crash, "a.eml") }
        #expect(try await Self.read("# Tide", "a.md").first?.title == "Tide")
    }

    @Test func `The processor time and the memory of a document are limited`() async throws {
        var limits = DocumentLimits()
        limits.maximumProcessorTime = .seconds(1)
        let names = (0..<250_000).map { "a\(String($0, radix: 36))=''" }.joined(separator: " ")
        let slow = "<rss><channel><item \(names)><title>Tide</title></item></channel></rss>"
        let error = await #expect(throws: DocumentError.self) {
            try await Self.read(slow, "a.rss", limits: limits)
        }
        #expect(error?.description.hasSuffix("seconds of processor time") == true)
        limits = DocumentLimits()
        limits.maximumProgramMemory = 256 << 20
        let large = String(repeating: "[tide](a) *b* ", count: 2 << 20)
        await #expect(throws: DocumentError.self) { try await Self.read(large, "a.md", limits: limits) }
        #expect(try await Self.read("# Tide", "a.md").first?.title == "Tide")
    }

    @Test func `A canceled reading ends its process`() async throws {
        let worker = ReaderWorker(program: TestTool.url("roost").path)
        let names = (0..<200_000).map { "a\($0)='1'" }.joined(separator: " ")
        let task = Task { try await Self.read("<rss \(names)/>", "a.rss", in: worker) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A program that cannot be started is a temporary fault`() async {
        await #expect {
            try await Self.read("# Tide", "a.md", in: ReaderWorker(program: "/no/such/program"))
        } throws: {
            ($0 as? DocumentError)?.isTransient == true
        }
    }

    #if os(Linux)
        @Test func `The process can write no file and use no network`() async throws {
            _ = try await Self.read("# Tide", "a.md")
            let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap {
                Int($0)
            }
            func text(_ process: Int, _ file: String) -> String {
                let data = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
                return String(decoding: data, as: UTF8.self)
            }
            let workers = processes.filter {
                text($0, "cmdline").contains("--read-documents")
                    && text($0, "status").contains("PPid:\t\(ProcessInfo.processInfo.processIdentifier)\n")
            }
            let worker = try #require(workers.first)
            #expect(text(worker, "status").contains("Seccomp:\t2"))
            #expect(text(worker, "limits").contains(/Max file size +0 +0/))
        }
    #endif
}
