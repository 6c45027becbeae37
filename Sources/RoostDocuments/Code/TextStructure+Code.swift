extension TextStructure {
    /// Creates the structure of source code: a section for each declaration. Text in an unknown language is
    /// one section.
    init(ofCode text: String, language: String) {
        guard let language = CodeLanguage.byName[language], !text.isEmpty else {
            self.init(sections: [Section(headings: [], range: 0..<text.utf8.count)])
            return
        }
        self = CodeOutline(text, language: language).structure()
    }
}
