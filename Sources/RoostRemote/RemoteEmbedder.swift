import Foundation
public import RoostModel
import RoostText
import RoostVectors
import Synchronization

/// Embeds text by asking a server (``RemoteModel``).
///
/// What the model is, is asked, not looked up: one text is embedded to learn the dimension and whether
/// vectors have unit
/// length, and what it gives for that text is part of the space, so that another model behind the same name
/// is noticed.
/// A request that is too large for the server is halved; a text that is too long alone is embedded in two
/// parts, whose
/// mean stands for it.
public struct RemoteEmbedder: Embedder {
    public let space: EmbeddingSpace
    private let model: RemoteModel
    private let transport: RemoteTransport
    private let state: State

    /// What has happened so far.
    public struct Statistics: Sendable, Hashable {
        /// Requests that were sent again after a passing failure.
        public var retries = 0
        /// Requests that were too large and went in two.
        public var halvedRequests = 0
        /// Texts that were too long and went in two.
        public var splitTexts = 0
        /// Texts of which the server read fewer tokens than they have words.
        public var truncatedTexts = 0
    }

    private final class State: Sendable {
        let statistics = Mutex(Statistics())
        /// Whether the server has been seen to have the space's model.
        let isVerified: Atomic<Bool>

        init(isVerified: Bool) { self.isVerified = Atomic(isVerified) }
    }

    /// The embedder for vectors that are there already. The first call asks whether the server still has the
    /// model
    /// that they were made with.
    public init(_ model: RemoteModel, space: EmbeddingSpace) {
        self.init(model, space, RemoteTransport(model), isVerified: false)
    }

    private init(
        _ model: RemoteModel, _ space: EmbeddingSpace, _ transport: RemoteTransport, isVerified: Bool
    ) {
        self.model = model
        self.space = space
        self.transport = transport
        state = State(isVerified: isVerified)
    }

    /// Asks a server what its model is.
    ///
    /// - Throws: ``EmbedderError``.
    public static func connect(_ model: RemoteModel) async throws -> RemoteEmbedder {
        let transport = RemoteTransport(model)
        let unknown = EmbeddingSpace(model: "", revision: "", dimension: 0, pooling: "")
        let probing = RemoteEmbedder(model, unknown, transport, isVerified: true)
        let vector = try await probing.probe(model.documentPrefix)
        let space = EmbeddingSpace(
            model: "remote:\(model.name)", revision: "remote", dimension: vector.count, pooling: "remote",
            queryPrefix: model.queryPrefix, documentPrefix: model.documentPrefix,
            isNormalized: abs(length(of: vector) - 1) < 1e-3, probe: EmbeddingProbe.sketch(of: vector))
        return RemoteEmbedder(model, space, transport, isVerified: true)
    }

    public var statistics: Statistics {
        var statistics = state.statistics.withLock { $0 }
        statistics.retries = transport.retryCount
        return statistics
    }

    public var maximumTokens: Int? { model.maximumWords }

    /// Words stand for tokens, which only the server knows.
    public func tokenRanges(in text: String) -> [Range<Int>] { Words(text).map(\.utf8Range) }

    // MARK: Embedding

    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        guard !texts.isEmpty else {
            return Embeddings(
                vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
        }
        try await verify()
        let prefix = role == .query ? space.queryPrefix : space.documentPrefix
        // An empty input is an error to most servers.
        let inputs = texts.map { $0.isEmpty ? prefix + " " : prefix + $0 }
        let starts = Array(stride(from: 0, to: inputs.count, by: model.batchSize))
        var parts = [[Result]](repeating: [], count: starts.count)
        try await withThrowingTaskGroup(of: (Int, [Result]).self) { group in
            var next = 0
            func addNext() {
                guard next < starts.count else { return }
                let (part, start) = (next, starts[next])
                next += 1
                let batch = Array(inputs[start..<min(inputs.count, start + model.batchSize)])
                group.addTask { (part, try await embed(batch)) }
            }
            for _ in 0..<max(1, model.concurrency) { addNext() }
            while let (part, results) = try await group.next() {
                parts[part] = results
                addNext()
            }
        }
        let results = parts.flatMap { $0 }
        return Embeddings(
            vectors: Matrix(results.map(\.vector), columns: space.dimension),
            tokenCounts: results.map(\.tokens), omittedTokens: results.map(\.omitted))
    }

    /// The vector of one text.
    private struct Result {
        var vector: [Float]
        var tokens: Int
        var omitted: Int
    }

    /// What the server gives for the fixed text.
    private func probe(_ prefix: String) async throws -> [Float] {
        do {
            return try await answer([prefix + EmbeddingProbe.text]).vectors[0]
        } catch let error as RemoteTransport.TooLarge {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: RemoteTransport.TooLarge) -> EmbedderError {
        EmbedderError(
            .refused, "the remote model does not accept a text: status \(error.status)\(error.hint)")
    }

    private func verify() async throws {
        guard let probe = space.probe, !state.isVerified.load(ordering: .relaxed) else { return }
        let vector = try await self.probe(space.documentPrefix)
        guard vector.count == space.dimension, EmbeddingProbe.agree(EmbeddingProbe.sketch(of: vector), probe)
        else {
            throw EmbedderError(
                .configuration,
                "the server at \(model.endpoint.host ?? "") has another model by the name "
                    + "'\(model.name)' than the one "
                    + "that the vectors were made with")
        }
        state.isVerified.store(true, ordering: .relaxed)
    }

    private func embed(_ texts: [String]) async throws -> [Result] {
        let answer: EmbeddingsAnswer
        do {
            answer = try await self.answer(texts)
        } catch let error as RemoteTransport.TooLarge {
            guard texts.count == 1 else {
                state.statistics.withLock { $0.halvedRequests += 1 }
                return try await halves(texts)
            }
            guard error.isCertain, let (first, second) = Self.split(texts[0]) else {
                throw Self.refusal(error)
            }
            state.statistics.withLock { $0.splitTexts += 1 }
            let (a, b) = (try await embed([first])[0], try await embed([second])[0])
            return [mean(a, b)]
        }
        let words = texts.map { $0.split(whereSeparator: \.isWhitespace).count }
        let total = words.reduce(0, +)
        // A word is at least a token: where the server has read clearly fewer, it has cut something.
        guard let read = answer.promptTokens, read > 0, Double(read) < 0.75 * Double(total) else {
            return zip(answer.vectors, words).map { Result(vector: $0, tokens: $1, omitted: 0) }
        }
        guard texts.count == 1 else { return try await halves(texts) }
        state.statistics.withLock { $0.truncatedTexts += 1 }
        return [Result(vector: answer.vectors[0], tokens: read, omitted: total - read)]
    }

    private func halves(_ texts: [String]) async throws -> [Result] {
        let middle = texts.count / 2
        return try await embed(Array(texts[..<middle])) + embed(Array(texts[middle...]))
    }

    private func mean(_ a: Result, _ b: Result) -> Result {
        let (x, y) = (Float(max(1, a.tokens)), Float(max(1, b.tokens)))
        var vector = zip(a.vector, b.vector).map { (x * $0 + y * $1) / (x + y) }
        if space.isNormalized { vector = normalized(vector) }
        return Result(vector: vector, tokens: a.tokens + b.tokens, omitted: a.omitted + b.omitted)
    }

    /// Two halves of a text, between words where there are any; `nil` where there is nothing left to halve.
    static func split(_ text: String) -> (String, String)? {
        guard text.utf8.count >= 16 else { return nil }
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        let gap =
            text[middle...].firstIndex(where: \.isWhitespace)
            ?? text[..<middle].lastIndex(where: \.isWhitespace)
        let place = gap.flatMap { $0 == text.startIndex ? nil : $0 } ?? middle
        guard place > text.startIndex, place < text.endIndex else { return nil }
        return (String(text[..<place]), String(text[place...]))
    }

    private struct Request: Encodable {
        var model: String
        var input: [String]
        var encoding_format = "float"
    }

    private func answer(_ texts: [String]) async throws -> EmbeddingsAnswer {
        let body = try JSONEncoder().encode(Request(model: model.name, input: texts))
        let answer = try EmbeddingsAnswer(
            try await transport.post(body, to: "/embeddings"), count: texts.count)
        for vector in answer.vectors where space.dimension > 0 && vector.count != space.dimension {
            throw EmbedderError(
                .badAnswer,
                "the remote model gives vectors of \(vector.count) numbers, not of \(space.dimension)")
        }
        return answer
    }
}
