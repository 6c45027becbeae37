import Roost
import RoostTestKit
import Synchronization
import Testing

private final class LawlessEmbedder: Embedder {
    let law: EmbedderLaw
    let space = EmbeddingSpace(model: "lawless", revision: "1", dimension: 2, pooling: "none")
    let maximumTokens: Int? = 100
    private let calls = Mutex(0)

    init(_ law: EmbedderLaw) { self.law = law }

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        let rows = texts.map { text -> [Float] in
            switch law {
            case .answersMatchTexts: [3, 4]
            case .vectorsDoNotDependOnOtherTexts: texts.count > 1 ? [1, 0] : [0, 1]
            case .concurrentCallsAgree: call > 4 ? [1, 0] : [0, 1]
            case .anyTextHasAVector: text.isEmpty ? [.nan, 0] : [1, 0]
            case .tokenRangesAreOrdered: [1, 0]
            }
        }
        return Embeddings(vectors: Matrix(rows, columns: 2))
    }

    func tokenRanges(in text: String) -> [Range<Int>] {
        law == .tokenRangesAreOrdered ? [0..<text.utf8.count + 1] : []
    }
}

struct EmbedderLawTests {
    @Test(arguments: EmbedderLaw.allCases) func `the embedder obeys the law`(law: EmbedderLaw) async throws {
        try await law.check(LexicalEmbedder())
        try await law.check(LetterEmbedder())
    }

    @Test(arguments: EmbedderLaw.allCases) func `violations of a law are reported`(law: EmbedderLaw) async {
        await #expect(throws: LawViolation.self) { try await law.check(LawlessEmbedder(law)) }
    }

    @Test(arguments: [FaultyEmbedder.Fault.tooFewVectors, .wrongDimension, .notFinite])
    func `an answer with another form violates the first law`(fault: FaultyEmbedder.Fault) async {
        await #expect(throws: LawViolation.self) {
            try await EmbedderLaw.answersMatchTexts.check(FaultyEmbedder(fault: fault))
        }
    }
}
