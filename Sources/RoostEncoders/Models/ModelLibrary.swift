public import Foundation
public import RoostModel

/// The embedding models that a user has installed: a folder that contains one subfolder per model.
public struct ModelLibrary: Sendable, Hashable {
    /// The folder that contains the models.
    public let directory: URL

    /// The name of the built-in embedder that needs no model files.
    public static let lexicalName = "lexical"
    /// Short names of well-known models, with the names of their folders.
    public static let aliases = ["minilm": "all-MiniLM-L6-v2"]

    /// Creates a library for a folder, which need not exist yet.
    public init(directory: URL) { self.directory = directory }

    /// The models that the command-line tool installs for the current user.
    ///
    /// The folder is `$ROOST_MODELS` if that is set, otherwise `roost/models` in `$XDG_DATA_HOME` or, by
    /// default, in `~/.local/share` (XDG Base Directory Specification). In a sandboxed app the home directory
    /// is that of the app's container.
    public static var ofUser: ModelLibrary {
        ofUser(ProcessInfo.processInfo.environment)
    }

    /// Returns the current user's models, as determined by the given environment variables.
    package static func ofUser(_ environment: [String: String]) -> ModelLibrary {
        if let named = environment["ROOST_MODELS"], !named.isEmpty {
            return ModelLibrary(directory: URL(fileURLWithPath: named))
        }
        return ModelLibrary(directory: userData(environment).appendingPathComponent("models"))
    }

    /// Returns the folder of the current user's data, as determined by the given environment variables.
    package static func userData(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> URL
    {
        // The specification requires that relative paths are ignored.
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            return URL(fileURLWithPath: path).appendingPathComponent("roost")
        }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return URL(fileURLWithPath: home).appendingPathComponent(".local/share/roost")
    }

    // MARK: Opening

    /// Returns the names of the installed models, sorted.
    public func names() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { name in
            !name.hasPrefix(".") && (try? ModelFolder(directory.appendingPathComponent(name))) != nil
        }.sorted()
    }

    /// Opens an installed model.
    ///
    /// - Parameter name: The name of the model's folder, an alias, or `lexical`. The suffix `:int8` selects
    ///   8-bit weights.
    /// - Throws: `EmbedderError` if the model is not installed or its files are damaged.
    public func open(_ name: String) throws -> any Embedder {
        if name == Self.lexicalName { return LexicalEmbedder() }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let precision = BERTEmbedder.Precision(rawValue: parts.count > 1 ? parts[1] : "float32") else {
            throw EmbedderError(
                .modelNotFound,
                "unknown precision '\(parts[1])' in the model name '\(name)'; use float32 or int8")
        }
        return try LocalModel.open(try folder(of: parts[0]), precision: precision)
    }

    /// Opens an installed cross-encoder.
    ///
    /// - Parameter name: The name of the model's folder.
    /// - Throws: `EmbedderError` if the model is not installed, is not a cross-encoder or is damaged.
    public func reranker(_ name: String) throws -> CrossEncoder {
        try CrossEncoder(folder: try folder(of: name, remedy: .installModel))
    }

    private func isCrossEncoder(_ name: String) -> Bool {
        (try? CrossEncoder.describes(ModelFolder(folder(of: name)))) ?? false
    }

    func folder(of name: String, remedy: Remedy = .installModelOrUseLexical) throws -> URL {
        let resolved = Self.aliases[name.lowercased()] ?? name
        guard !resolved.isEmpty, !resolved.contains("/"), !resolved.hasPrefix(".") else {
            throw EmbedderError(.modelNotFound, "'\(name)' is not a valid model name")
        }
        let folder = directory.appendingPathComponent(resolved)
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw EmbedderError(
                .modelNotFound, "the model \(resolved) is not installed in \(directory.path)",
                remedy: remedy)
        }
        return folder
    }

    /// Opens the installed model whose embedding space is compatible with `space`.
    ///
    /// - Throws: `EmbedderError` with `.modelNotFound` if no installed model has a compatible space; the
    ///   message names an installed model that cannot be opened, with the cause.
    public func open(for space: EmbeddingSpace) throws -> any Embedder {
        let lexical = LexicalEmbedder(dimension: max(LexicalEmbedder.minimumDimension, space.dimension))
        if lexical.space.isCompatible(with: space) { return lexical }
        // A damaged model may be missing from the names.
        let named = (try? folder(of: space.model)).map { [$0.lastPathComponent] } ?? []
        // Opening a model takes time, so the model with the right name is tried first.
        let candidates = Set(names() + named).sorted {
            ($0 == space.model ? 0 : 1, $0) < ($1 == space.model ? 0 : 1, $1)
        }
        var failure: (name: String, error: any Error)?
        for name in candidates where !isCrossEncoder(name) {
            let variant = space.revision.hasSuffix("+int8") ? "\(name):int8" : name
            do {
                let embedder = try open(variant)
                if embedder.space.isCompatible(with: space) { return embedder }
            } catch {
                failure = failure ?? (name, error)
            }
        }
        let cause =
            if let failure {
                "none of the models in \(directory.path) matches, and \(failure.name) cannot be opened: "
                    + "\(failure.error)"
            } else {
                "which is not installed in \(directory.path)"
            }
        throw EmbedderError(
            .modelNotFound,
            "cannot open the store's model: its vectors were computed with \(space), \(cause)",
            remedy: .installModel)
    }

    /// The properties of an installed model.
    public struct Description: Sendable, Hashable, Encodable {
        /// The name by which the model was opened.
        public var name: String
        /// The embedding space of its vectors. A cross-encoder has none: the dimension is 1.
        public var space: EmbeddingSpace
        /// The maximum number of tokens that one vector can represent; `nil` if there is no limit.
        public var maximumTokens: Int?
        /// The size of the model's files, in bytes.
        public var bytes: Int
    }

    /// Returns the properties of an installed model.
    ///
    /// - Throws: The same errors as ``open(_:)``.
    public func describe(_ name: String) throws -> Description {
        let (space, maximumTokens): (EmbeddingSpace, Int?)
        if isCrossEncoder(name) {
            let reranker = try reranker(name)
            (space, maximumTokens) = (reranker.space, reranker.maximumTokens)
        } else {
            let embedder = try open(name)
            (space, maximumTokens) = (embedder.space, embedder.maximumTokens)
        }
        var bytes = 0
        if let folder = try? folder(of: name) {
            for file in ModelFolder.files {
                let attributes = try? FileManager.default.attributesOfItem(
                    atPath: folder.appendingPathComponent(file).path)
                bytes += (attributes?[.size] as? Int) ?? 0
            }
        }
        return Description(
            name: name, space: space, maximumTokens: maximumTokens, bytes: bytes)
    }
}

/// The choice of an embedding model for a store.
///
///     .miniLM                                  // installed for the current user
///     .installed("bge-small-en-v1.5")
///     .folder(Bundle.main.resourceURL!.appending(path: "all-MiniLM-L6-v2"))
///     .lexical                                 // compares words, needs no files
///     .embedder(MyEmbedder())
///
/// The model is not opened until a store is opened, so a choice can be stored in a constant.
public struct EmbeddingModel: Sendable {
    private let open: @Sendable () throws -> any Embedder

    /// A model that is installed in a library.
    ///
    /// - Parameters:
    ///   - name: The name of the model, as in ``ModelLibrary/open(_:)``.
    ///   - library: The current user's library by default.
    public static func installed(
        _ name: String, in library: ModelLibrary = .ofUser
    ) -> EmbeddingModel {
        EmbeddingModel { try library.open(name) }
    }

    /// A model in any folder, for example in the resources of an app.
    ///
    /// - Parameters:
    ///   - url: The folder, in the layout of sentence-transformers or Model2Vec.
    ///   - precision: The precision of the weights in memory. `int8` is faster and less precise; its vectors
    ///     form a separate embedding space.
    public static func folder(
        _ url: URL, precision: BERTEmbedder.Precision = .float32
    ) -> EmbeddingModel {
        EmbeddingModel { try LocalModel.open(url, precision: precision) }
    }

    /// An embedder that is already open, or the caller's own implementation of `Embedder`.
    public static func embedder(_ embedder: any Embedder) -> EmbeddingModel {
        EmbeddingModel { embedder }
    }

    /// all-MiniLM-L6-v2: 384 dimensions, English, about 90 MB; a good default for most texts.
    public static let miniLM = EmbeddingModel.installed("minilm")

    /// The built-in embedder that compares texts by their words, not by their meaning. It needs no files.
    public static let lexical = EmbeddingModel.embedder(LexicalEmbedder())

    package func makeEmbedder() throws -> any Embedder { try open() }
}
