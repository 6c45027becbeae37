import Foundation
import RoostDocuments
import Testing

/// Tests with damaged and hostile documents: a document or an error, a consistent structure, and bounded time.
///
/// `ROOST_FUZZ_FILES` sets the number of mutations for each kind of file (default: 60), and
/// `ROOST_FUZZ_SECONDS` the maximum time for each file. `ROOST_FUZZ_FIRST` is the number of the first
/// mutation (default: 0), so that several processes, or runs one after the other, can share a large number of
/// mutations. `ROOST_FUZZ_KINDS` limits the mutations to some kinds, which are separated by commas. A failed
/// check names the number of a mutation, which produces it again.
@Suite(.serialized) struct DocumentFuzzTests {
    private static let count = setting("ROOST_FUZZ_FILES") ?? 60
    private static let first = setting("ROOST_FUZZ_FIRST") ?? 0
    private static let kinds = ProcessInfo.processInfo.environment["ROOST_FUZZ_KINDS"]
        .map { $0.split(separator: ",").map(String.init) }
    /// The default is long, because other tests use the processor too. Reading a file takes milliseconds.
    private static let maximumTime = Duration.seconds(setting("ROOST_FUZZ_SECONDS") ?? 600)

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Reads files until the time of one of them exceeds the maximum.
    private func read(
        _ kind: FuzzKind, first: Int = 0, count: Int, file: (Int) -> DocumentInput
    ) async throws {
        for number in first..<first + count {
            let input = file(number)
            let start = ContinuousClock.now
            let defect = try await kind.defect(of: input)
            #expect(defect == nil, "\(kind), file \(number)")
            try #require(ContinuousClock.now - start < Self.maximumTime, "\(kind), file \(number)")
        }
    }

    /// Reads the share of the mutations of one kind, which is smaller if reading a file takes long or if
    /// several kinds have one reader.
    private func readMutations(of kind: FuzzKind, share: Int = 1) async throws {
        guard Self.kinds?.contains("\(kind)") ?? true else { return }
        try await read(kind, first: Self.first / share, count: max(1, Self.count / share)) {
            FuzzMutator.mutation($0, of: kind)
        }
    }

    @Test(arguments: FuzzKind.documents + [.pdfText])
    func `Mutated documents do no harm`(kind: FuzzKind) async throws {
        try await readMutations(of: kind)
    }

    @Test func `Mutated PDF documents do no harm`() async throws {
        // Each file starts two programs, which take 20 times as long as reading their output.
        try await readMutations(of: .pdf, share: 20)
    }

    @Test(arguments: FuzzKind.documents + [.pdfText])
    func `Parts of the syntax that are repeated or nested do no harm`(kind: FuzzKind) async throws {
        try await read(kind, count: max(1, Self.count / 20)) {
            FuzzMutator.pattern($0, of: kind, size: 16 << 10)
        }
    }
}
