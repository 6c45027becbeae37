import Foundation
import RoostModel

/// The members of a `tokenizer.json`, found without decoding the vocabulary, which may have 17 MB.
struct TokenizerFile {
    /// The location of the file, for messages.
    let url: URL
    private let bytes: [UInt8]
    private let members: [String: Range<Int>]
    private let modelMembers: [String: Range<Int>]

    /// Reads the file of a model.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if the file is not a JSON object with a member `model`.
    init(_ folder: ModelFolder) throws {
        url = folder.url("tokenizer.json")
        bytes = Array(try folder.contents(of: "tokenizer.json"))
        let scanner = JSONMembers(bytes)
        guard String(validating: bytes, as: UTF8.self) != nil,
            let members = scanner.members(of: 0..<bytes.count), let model = members["model"],
            let modelMembers = scanner.members(of: model)
        else {
            throw EmbedderError(.damagedModel, "\(url.path) is not valid JSON, or lacks the member 'model'")
        }
        self.members = members
        self.modelMembers = modelMembers
    }

    /// Decodes a member of the file; `nil` if it is missing or `null`.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` that names the member.
    func decode<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
        try decode(type, members[name], name)
    }

    /// Decodes a member of the member `model`; `nil` if it is missing or `null`.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` that names the member.
    func decodeFromModel<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
        try decode(type, modelMembers[name], "model.\(name)")
    }

    private func decode<T: Decodable>(_ type: T.Type, _ range: Range<Int>?, _ name: String) throws -> T? {
        guard let range else { return nil }
        do {
            return try JSONDecoder().decode(T?.self, from: Data(bytes[range]))
        } catch {
            throw damaged("its member '\(name)' has an unexpected form")
        }
    }

    /// Reads the vocabulary of a unigram model: an array of pairs of a piece and its score.
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if it has another form or no piece.
    func unigramVocabulary() throws -> UnigramVocabulary {
        guard let range = modelMembers["vocab"],
            let vocabulary = JSONMembers(bytes).scoredPieces(of: range), vocabulary.count > 0
        else { throw damaged("its vocabulary is not an array of pieces with their scores") }
        return vocabulary
    }

    /// Returns the error for a damaged file.
    func damaged(_ reason: String) -> EmbedderError {
        EmbedderError(.damagedModel, "\(url.path) is not the tokenizer of a model: \(reason)")
    }
}
