import Foundation
import RoostModel
import RoostText

/// The message for stores whose texts are mostly not in the language for which their model was trained.
enum LanguageNotice {
    /// Returns the message; `nil` if the model is not known to be trained on English alone, or if most texts
    /// are in English.
    static func text(on languages: LanguageShares, model: String) -> String? {
        guard isEnglish(model), let language = languages.foreignLanguage else { return nil }
        let name = "\(language)".capitalized
        return "most texts are not in English (the most frequent language is \(name)), but \(model) was "
            + "trained on English; a multilingual model finds better clusters and more similar texts"
    }

    /// Whether the name of a model says that it was trained on English alone.
    static func isEnglish(_ model: String) -> Bool {
        let name = model.lowercased()
        let parts = name.split { !$0.isLetter && !$0.isNumber }
        guard !parts.contains("multilingual") else { return false }
        return name.hasPrefix("all-minilm") || parts.contains("en")
    }
}
