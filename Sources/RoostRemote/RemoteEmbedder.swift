import Foundation
public import RoostModel
import RoostVectors
import Synchronization

/// An embedder that sends texts to a server (``RemoteModel``).
///
/// The embedder measures the properties of the model: the vector of a fixed text shows the dimension and
/// whether vectors have unit length. A sketch of that vector becomes part of the embedding space, so a
/// different model with the same name is detected. A request that is too large for the server is split into
/// two. A text that is too long for the server, or that the server truncated, is embedded in two parts, and
/// its vector is the weighted mean of the vectors of the parts.
public struct RemoteEmbedder: Embedder {
    /// The embedding space, including the sketch of the vector of the fixed text.
    public let space: EmbeddingSpace
    private let model: RemoteModel
    private let transport: RemoteTransport
    private let state: State

    /// Counts of unusual events since the embedder was created.
    public struct Statistics: Sendable, Hashable {
        /// The number of requests that were repeated after a transient failure.
        public var retries = 0
        /// The number of requests that were too large and were split into two.
        public var halvedRequests = 0
        /// The number of texts that were embedded in two parts.
        public var splitTexts = 0
        /// The number of texts that the server truncated without reporting it, and that were then embedded in
        /// two parts.
        public var truncatedTexts = 0
    }

    /// State that copies of the embedder share.
    private final class State: Sendable {
        let statistics = Mutex(Statistics())
        let reading = Mutex(ReadingCheck())
        /// Whether the server is known to use the model of the embedding space.
        let isVerified: Atomic<Bool>

        init(isVerified: Bool) { self.isVerified = Atomic(isVerified) }
    }

    /// Creates an embedder for an existing embedding space.
    ///
    /// The first call of ``embed(_:as:)`` checks that the server still uses the model of that space.
    ///
    /// - Parameters:
    ///   - model: The model and its server.
    ///   - space: The embedding space of the existing vectors.
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

    /// Connects to a server and determines the embedding space of its model.
    ///
    /// - Throws: `EmbedderError`; `CancellationError`.
    public static func connect(_ model: RemoteModel) async throws -> RemoteEmbedder {
        let transport = RemoteTransport(model)
        let unknown = EmbeddingSpace(model: "", revision: "", dimension: 0, pooling: "")
        let state = State(isVerified: true)
        let probing = RemoteEmbedder(model, unknown, transport, state)
        let vector = try await probing.probe(model.documentPrefix)
        let space = EmbeddingSpace(
            model: "remote:\(model.name)", revision: "remote", dimension: vector.count, pooling: "remote",
            queryPrefix: model.queryPrefix, documentPrefix: model.documentPrefix,
            isNormalized: abs(length(of: vector) - 1) < Self.unitLengthTolerance,
            probe: EmbeddingProbe.sketch(of: vector))
        return RemoteEmbedder(model, space, transport, state)
    }

    /// The maximum deviation from length 1 for a vector to be treated as a unit vector. Vectors in JSON are
    /// often rounded to a few digits.
    private static let unitLengthTolerance: Float = 1e-3

    /// The counts of unusual events so far.
    public var statistics: Statistics {
        var statistics = state.statistics.withLock { $0 }
        statistics.retries = transport.retryCount
        return statistics
    }

    /// The maximum number of words in a passage.
    public var maximumTokens: Int? { model.maximumWords }

    // MARK: Embedding

    /// Embeds texts, in several concurrent requests.
    ///
    /// - Throws: `EmbedderError`, for example with `.configuration` if the server uses a different model from
    ///   that of ``space``; `CancellationError`.
    @concurrent
    public func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        guard !texts.isEmpty else {
            return Embeddings(
                vectors: Matrix(rows: 0, columns: space.dimension), tokenCounts: [], omittedTokens: [])
        }
        guard (1...EmbeddingSpace.maximumDimension).contains(space.dimension) else {
            throw EmbedderError(
                .configuration, "cannot embed: the dimension \(space.dimension) of the model is out of range")
        }
        try await verify()
        let prefix = role == .query ? space.queryPrefix : space.documentPrefix
        let size = min(max(1, model.batchSize), texts.count)
        let starts = Array(stride(from: 0, to: texts.count, by: size))
        var batches = [[Result]](repeating: [], count: starts.count)
        try await withThrowingTaskGroup(of: (Int, [Result]).self) { group in
            var next = 0
            func addNext() {
                guard next < starts.count else { return }
                let (index, start) = (next, starts[next])
                next += 1
                let batch = Array(texts[start..<min(texts.count, start + size)])
                group.addTask { (index, try await embed(batch, prefix)) }
            }
            for _ in 0..<min(max(1, model.concurrency), starts.count) { addNext() }
            while let (index, results) = try await group.next() {
                batches[index] = results
                addNext()
            }
        }
        let results = batches.flatMap { $0 }
        return Embeddings(
            vectors: Matrix(results.map(\.vector), columns: space.dimension),
            tokenCounts: results.map(\.tokens), omittedTokens: results.map(\.omitted))
    }

    /// The result for one text.
    private struct Result {
        var vector: [Float]
        /// The estimated number of tokens.
        var tokens: Int
        var omitted: Int
    }

    /// Returns the vector of the fixed text.
    private func probe(_ prefix: String) async throws -> [Float] {
        do {
            let response = try await response([EmbeddingProbe.text], prefix)
            state.reading.withLock { $0.calibrate(read: response.promptTokens, of: EmbeddingProbe.text) }
            return response.vectors[0]
        } catch let error as RemoteTransport.TooLarge {
            throw Self.refusal(error)
        } catch let error as RemoteTransport.TimedOut {
            throw error.asEmbedderError
        }
    }

    private static func refusal(_ error: RemoteTransport.TooLarge) -> EmbedderError {
        EmbedderError(
            .refused, "the remote model rejected a text: status \(error.status)\(error.hint)")
    }

    /// Checks that the server uses the model of the embedding space, unless this has already been verified.
    private func verify() async throws {
        guard let probe = space.probe, !state.isVerified.load(ordering: .relaxed) else { return }
        let vector = try await self.probe(space.documentPrefix)
        guard vector.count == space.dimension, EmbeddingProbe.agree(EmbeddingProbe.sketch(of: vector), probe)
        else {
            throw EmbedderError(
                .configuration,
                "cannot embed: the model '\(model.name)' at "
                    + "\(model.endpoint.host ?? "") is not the one that computed the existing vectors")
        }
        state.isVerified.store(true, ordering: .relaxed)
    }

    /// The maximum number of times that a request is split because it timed out.
    private static let maximumTimeouts = 3

    /// Returns the vectors of texts, using as many requests as necessary.
    ///
    /// - Parameter timeouts: The number of earlier requests containing these texts that timed out.
    private func embed(_ texts: [String], _ prefix: String, timeouts: Int = 0) async throws -> [Result] {
        let sizes = texts.map(ReadingCheck.size)
        guard let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) else { return [] }
        let verdict = state.reading.withLock { $0.verdict(size: sizes[largest]) }
        // A text that may be truncated is sent alone, because the server reports only the total number of
        // tokens.
        if verdict != .fits, texts.count > 1 { return try await separately(largest, texts, prefix) }
        if verdict == .isTruncated, Self.split(texts[0]) != nil {
            return [try await parts(of: texts[0], prefix)]
        }
        let response: EmbeddingsResponse
        do {
            response = try await self.response(texts, prefix)
        } catch let error as RemoteTransport.TooLarge {
            guard texts.count == 1 else { return try await halves(texts, prefix, timeouts) }
            guard error.isCertain, Self.split(texts[0]) != nil else { throw Self.refusal(error) }
            return [try await parts(of: texts[0], prefix)]
        } catch let error as RemoteTransport.TimedOut {
            // A slow server may be able to answer a request with half as many texts before the timeout.
            guard texts.count > 1, timeouts < Self.maximumTimeouts else { throw error.asEmbedderError }
            return try await halves(texts, prefix, timeouts + 1)
        }
        if verdict == .unknown, try await isTruncated(texts[0], sizes[0], response, prefix) {
            state.statistics.withLock { $0.truncatedTexts += 1 }
            return [try await parts(of: texts[0], prefix)]
        }
        let tokens = state.reading.withLock { $0.tokens(read: response.promptTokens, sizes: sizes) }
        return zip(response.vectors, tokens).map { Result(vector: $0, tokens: $1, omitted: 0) }
    }

    /// Embeds the halves of a text and compares their token counts to determine whether the server truncated
    /// the text.
    private func isTruncated(
        _ text: String, _ size: Int, _ response: EmbeddingsResponse, _ prefix: String
    ) async throws -> Bool {
        guard let (first, second) = Self.split(text) else { return false }
        let halves: EmbeddingsResponse
        do {
            halves = try await self.response([first, second], prefix)
        } catch is RemoteTransport.TooLarge {
            // The server accepts only one text per request, and it has accepted the complete text.
            return false
        } catch let error as RemoteTransport.TimedOut {
            throw error.asEmbedderError
        }
        return state.reading.withLock {
            $0.compare(
                read: response.promptTokens, ofHalves: halves.promptTokens, size: size,
                prefixSize: ReadingCheck.size(prefix))
        }
    }

    /// Embeds the text at the given index in a separate request from the other texts.
    private func separately(_ index: Int, _ texts: [String], _ prefix: String) async throws -> [Result] {
        let result = try await embed([texts[index]], prefix)
        var others = texts
        others.remove(at: index)
        var results = try await embed(others, prefix)
        results.insert(contentsOf: result, at: index)
        return results
    }

    /// Embeds texts in two requests, each with half of the texts.
    private func halves(
        _ texts: [String], _ prefix: String, _ timeouts: Int
    ) async throws -> [Result] {
        state.statistics.withLock { $0.halvedRequests += 1 }
        let middle = texts.count / 2
        let first = try await embed(Array(texts[..<middle]), prefix, timeouts: timeouts)
        return first + (try await embed(Array(texts[middle...]), prefix, timeouts: timeouts))
    }

    /// Embeds a text in two parts, each with the prefix.
    private func parts(of text: String, _ prefix: String) async throws -> Result {
        guard let (first, second) = Self.split(text) else {
            throw EmbedderError(
                .refused, "the remote model truncates even a text of \(text.utf8.count) bytes")
        }
        state.statistics.withLock { $0.splitTexts += 1 }
        return mean(try await embed([first], prefix)[0], try await embed([second], prefix)[0])
    }

    /// Returns the mean of two results, weighted by their tokens.
    private func mean(_ a: Result, _ b: Result) -> Result {
        let (x, y) = (Float(max(1, a.tokens)), Float(max(1, b.tokens)))
        var vector = zip(a.vector, b.vector).map { (x * $0 + y * $1) / (x + y) }
        if space.isNormalized { vector = normalized(vector) }
        return Result(vector: vector, tokens: a.tokens + b.tokens, omitted: a.omitted + b.omitted)
    }

    /// The minimum length in bytes of a text that can be split.
    private static let minimumSplitLength = 16

    /// Splits a text near its middle, between words if possible. Neither half is blank.
    ///
    /// - Returns: The two halves, or `nil` if the text is too short.
    static func split(_ text: String) -> (String, String)? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= minimumSplitLength else { return nil }
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        let gap =
            text[middle...].firstIndex(where: \.isWhitespace)
            ?? text[..<middle].lastIndex(where: \.isWhitespace)
        let cut = gap ?? middle
        guard cut > text.startIndex, cut < text.endIndex else { return nil }
        return (String(text[..<cut]), String(text[cut...]))
    }

    private struct Request: Encodable {
        var model: String
        var input: [String]
        var encodingFormat = "float"

        private enum CodingKeys: String, CodingKey {
            case model, input
            case encodingFormat = "encoding_format"
        }
    }

    /// Sends one request.
    private func response(_ texts: [String], _ prefix: String) async throws -> EmbeddingsResponse {
        // Most servers reject an empty input.
        let inputs = texts.map { $0.isEmpty ? prefix + " " : prefix + $0 }
        let body = try JSONEncoder().encode(Request(model: model.name, input: inputs))
        let response = try EmbeddingsResponse(
            try await transport.post(body, to: "/embeddings"), count: texts.count)
        for vector in response.vectors where space.dimension > 0 && vector.count != space.dimension {
            throw EmbedderError(
                .badAnswer,
                "dimension mismatch: the remote model returned \(vector.count) components instead of "
                    + "\(space.dimension)")
        }
        return response
    }
}
