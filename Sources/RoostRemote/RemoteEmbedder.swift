import Foundation
public import RoostModel
import RoostText
import RoostVectors
import Synchronization

/// Embeds text by asking a server (``RemoteModel``).
///
/// What the model is, is asked, not looked up: one text is embedded to learn the dimension and whether
/// vectors have unit length, and what it gives for that text is part of the space, so that another model
/// behind the same name is noticed. A request that is too large for the server is halved; a text that is too
/// long alone, or of which the server read only the beginning, is embedded in two parts, whose mean stands
/// for it.
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
        /// Texts of which the server read only the beginning without saying so, and which went in two then.
        public var truncatedTexts = 0
    }

    private final class State: Sendable {
        let statistics = Mutex(Statistics())
        let reading = Mutex(ReadingCheck())
        /// Whether the server has been seen to have the space's model.
        let isVerified: Atomic<Bool>

        init(isVerified: Bool) { self.isVerified = Atomic(isVerified) }
    }

    /// The embedder for vectors that are there already. The first call asks whether the server still has the
    /// model that they were made with.
    public init(_ model: RemoteModel, space: EmbeddingSpace) {
        self.init(model, space, RemoteTransport(model), State(isVerified: false))
    }

    private init(
        _ model: RemoteModel, _ space: EmbeddingSpace, _ transport: RemoteTransport, _ state: State
    ) {
        self.model = model
        self.space = space
        self.transport = transport
        self.state = state
    }

    /// Asks a server what its model is.
    ///
    /// - Throws: ``EmbedderError``.
    public static func connect(_ model: RemoteModel) async throws -> RemoteEmbedder {
        let transport = RemoteTransport(model)
        let unknown = EmbeddingSpace(model: "", revision: "", dimension: 0, pooling: "")
        let state = State(isVerified: true)
        let probing = RemoteEmbedder(model, unknown, transport, state)
        let vector = try await probing.probe(model.documentPrefix)
        let space = EmbeddingSpace(
            model: "remote:\(model.name)", revision: "remote", dimension: vector.count, pooling: "remote",
            queryPrefix: model.queryPrefix, documentPrefix: model.documentPrefix,
            isNormalized: abs(length(of: vector) - 1) < 1e-3, probe: EmbeddingProbe.sketch(of: vector))
        return RemoteEmbedder(model, space, transport, state)
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
        let starts = Array(stride(from: 0, to: texts.count, by: model.batchSize))
        var parts = [[Result]](repeating: [], count: starts.count)
        try await withThrowingTaskGroup(of: (Int, [Result]).self) { group in
            var next = 0
            func addNext() {
                guard next < starts.count else { return }
                let (part, start) = (next, starts[next])
                next += 1
                let batch = Array(texts[start..<min(texts.count, start + model.batchSize)])
                group.addTask { (part, try await embed(batch, prefix)) }
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
            let answer = try await answer([EmbeddingProbe.text], prefix)
            state.reading.withLock { $0.calibrate(read: answer.promptTokens, of: EmbeddingProbe.text) }
            return answer.vectors[0]
        } catch let error as RemoteTransport.TooLarge {
            throw Self.refusal(error)
        } catch let error as RemoteTransport.TimedOut {
            throw error.asEmbedderError
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
                    + "'\(model.name)' than the one that the vectors were made with")
        }
        state.isVerified.store(true, ordering: .relaxed)
    }

    /// How often a request that was not answered in time is halved.
    private static let largestTimeouts = 3

    /// The vectors of texts, in as many requests as it takes.
    ///
    /// - Parameter timeouts: how often what these texts were part of was not answered in time.
    private func embed(_ texts: [String], _ prefix: String, timeouts: Int = 0) async throws -> [Result] {
        let sizes = texts.map(ReadingCheck.size)
        guard let longest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) else { return [] }
        let verdict = state.reading.withLock { $0.verdict(size: sizes[longest]) }
        // What may be cut goes alone, so that what was read of it can be told.
        if verdict != .fits, texts.count > 1 { return try await apart(longest, texts, prefix) }
        if verdict == .isCut, Self.split(texts[0]) != nil { return [try await parts(of: texts[0], prefix)] }
        let answer: EmbeddingsAnswer
        do {
            answer = try await self.answer(texts, prefix)
        } catch let error as RemoteTransport.TooLarge {
            guard texts.count == 1 else { return try await halves(texts, prefix, timeouts) }
            guard error.isCertain, Self.split(texts[0]) != nil else { throw Self.refusal(error) }
            return [try await parts(of: texts[0], prefix)]
        } catch let error as RemoteTransport.TimedOut {
            // A slow machine may take half as much in time; one that answers nothing is given up.
            guard texts.count > 1, timeouts < Self.largestTimeouts else { throw error.asEmbedderError }
            return try await halves(texts, prefix, timeouts + 1)
        }
        if verdict == .unknown, try await isCut(texts[0], sizes[0], answer, prefix) {
            state.statistics.withLock { $0.truncatedTexts += 1 }
            return [try await parts(of: texts[0], prefix)]
        }
        let tokens = state.reading.withLock { $0.tokens(read: answer.promptTokens, sizes: sizes) }
        return zip(answer.vectors, tokens).map { Result(vector: $0, tokens: $1, omitted: 0) }
    }

    /// Whether a server read less of a text than it has, which its halves tell.
    private func isCut(
        _ text: String, _ size: Int, _ answer: EmbeddingsAnswer, _ prefix: String
    ) async throws -> Bool {
        guard let (first, second) = Self.split(text) else { return false }
        let halves: EmbeddingsAnswer
        do {
            halves = try await self.answer([first, second], prefix)
        } catch is RemoteTransport.TooLarge {
            // One text at a time, then; the whole was taken.
            return false
        } catch let error as RemoteTransport.TimedOut {
            throw error.asEmbedderError
        }
        return state.reading.withLock {
            $0.compare(
                read: answer.promptTokens, ofHalves: halves.promptTokens, size: size,
                prefixSize: ReadingCheck.size(prefix))
        }
    }

    /// One of the texts in a request of its own, the others together.
    private func apart(_ index: Int, _ texts: [String], _ prefix: String) async throws -> [Result] {
        let alone = try await embed([texts[index]], prefix)
        var others = texts
        others.remove(at: index)
        var results = try await embed(others, prefix)
        results.insert(contentsOf: alone, at: index)
        return results
    }

    private func halves(
        _ texts: [String], _ prefix: String, _ timeouts: Int
    ) async throws -> [Result] {
        state.statistics.withLock { $0.halvedRequests += 1 }
        let middle = texts.count / 2
        let first = try await embed(Array(texts[..<middle]), prefix, timeouts: timeouts)
        return first + (try await embed(Array(texts[middle...]), prefix, timeouts: timeouts))
    }

    /// A text in two parts, each with the prefix.
    private func parts(of text: String, _ prefix: String) async throws -> Result {
        guard let (first, second) = Self.split(text) else {
            throw EmbedderError(
                .refused, "the remote model does not take in a text of \(text.utf8.count) bytes whole")
        }
        state.statistics.withLock { $0.splitTexts += 1 }
        return mean(try await embed([first], prefix)[0], try await embed([second], prefix)[0])
    }

    private func mean(_ a: Result, _ b: Result) -> Result {
        let (x, y) = (Float(max(1, a.tokens)), Float(max(1, b.tokens)))
        var vector = zip(a.vector, b.vector).map { (x * $0 + y * $1) / (x + y) }
        if space.isNormalized { vector = normalized(vector) }
        return Result(vector: vector, tokens: a.tokens + b.tokens, omitted: a.omitted + b.omitted)
    }

    /// Two halves of a text, between words where there are any, neither of them blank; `nil` where there is
    /// nothing left to halve.
    static func split(_ text: String) -> (String, String)? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 16 else { return nil }
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        let gap =
            text[middle...].firstIndex(where: \.isWhitespace)
            ?? text[..<middle].lastIndex(where: \.isWhitespace)
        let place = gap ?? middle
        guard place > text.startIndex, place < text.endIndex else { return nil }
        return (String(text[..<place]), String(text[place...]))
    }

    private struct Request: Encodable {
        var model: String
        var input: [String]
        var encoding_format = "float"
    }

    private func answer(_ texts: [String], _ prefix: String) async throws -> EmbeddingsAnswer {
        // An empty input is an error to most servers.
        let inputs = texts.map { $0.isEmpty ? prefix + " " : prefix + $0 }
        let body = try JSONEncoder().encode(Request(model: model.name, input: inputs))
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
