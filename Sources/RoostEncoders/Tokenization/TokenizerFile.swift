import Foundation
import RoostModel
import RoostText

/// The members of a `tokenizer.json`, found without decoding the vocabulary, which may have 17 MB.
struct TokenizerFile {
    let folder: ModelFolder
    private let parts: JSONParts
    private let members: [String: Range<Int>]
    private let modelMembers: [String: Range<Int>]

    init(_ folder: ModelFolder) throws {
        self.folder = folder
        let data = try folder.contents(of: "tokenizer.json")
        parts = JSONParts(data)
        guard String(validating: data, as: UTF8.self) != nil, let members = parts.members(in: parts.all),
            let model = members["model"], let modelMembers = parts.members(in: model)
        else {
            throw folder.damaged("tokenizer.json is not valid JSON, or lacks the member 'model'")
        }
        (self.members, self.modelMembers) = (members, modelMembers)
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func decode<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
        try decode(type, members[name], name)
    }

    func decodeFromModel<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
        try decode(type, modelMembers[name], "model.\(name)")
    }

    private func decode<T: Decodable>(_ type: T.Type, _ range: Range<Int>?, _ name: String) throws -> T? {
        guard let range else { return nil }
        do {
            return try JSONDecoder.ofModels.decode(T?.self, from: parts.data(range))
        } catch {
            throw damaged("its member '\(name)' has an unexpected form")
        }
    }

    /// Reads the vocabulary of a unigram model: an array of pairs of a piece and its score.
    func unigramVocabulary() throws -> UnigramVocabulary {
        let damage = damaged("its vocabulary is not an array of pieces with their scores")
        guard let range = modelMembers["vocab"], let pairs = parts.elements(in: range), !pairs.isEmpty else {
            throw damage
        }
        var texts: [UInt8] = []
        var (pieces, scores): ([Range<Int32>], [Double]) = ([], [])
        for pair in pairs {
            guard let values = parts.elements(in: pair), values.count == 2,
                let text = parts.string(in: values[0]), let score = parts.number(in: values[1]),
                score.isFinite, texts.count + text.count < Int32.max
            else { throw damage }
            let start = Int32(texts.count)
            texts += text
            pieces.append(start..<Int32(texts.count))
            scores.append(score)
        }
        return UnigramVocabulary(bytes: texts, pieces: pieces, scores: scores)
    }

    func wordPieces() throws -> [String] {
        guard let vocabulary = try decodeFromModel([String: Int].self, "vocab") else {
            throw damaged("it lacks a vocabulary")
        }
        var pieces = [String?](repeating: nil, count: vocabulary.count)
        for (piece, id) in vocabulary {
            // This error also occurs if two pieces differ only in Unicode composition: the JSON decoder merges
            // their keys, so one id is missing.
            guard pieces.indices.contains(id), pieces[id] == nil else {
                throw damaged("its vocabulary has a duplicate id \(id), or an id below it is missing")
            }
            guard !piece.isEmpty else { throw damaged("its vocabulary has an empty token for id \(id)") }
            pieces[id] = piece
        }
        return pieces.compactMap { $0 }
    }

    func damaged(_ reason: String) -> EmbedderError {
        folder.damaged("tokenizer.json is not the tokenizer of a model: \(reason)")
    }
}
