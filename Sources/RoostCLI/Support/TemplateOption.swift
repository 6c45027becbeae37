import ArgumentParser

/// The option for lists in a form that the user chooses.
struct TemplateOption: ParsableArguments {
    @Option(
        name: .customLong("template"),
        help: ArgumentHelp(
            """
            Print this text for each row; the same as --format template. {NAME} stands for a column of the \
            CSV output, \\t for a tab and \\n for a line break.
            """, valueName: "TEXT"))
    var text: String?

    /// The template; `nil` if the option was not given or its text is invalid, which validation reports.
    var template: RowTemplate? { text.flatMap { try? RowTemplate($0) } }

    /// Checks the template.
    ///
    /// - Parameter isChosen: Whether the output has the form of a template.
    /// - Throws: `ValidationError`.
    func check(isChosen: Bool) throws {
        guard let text else {
            guard !isChosen else {
                throw ValidationError(
                    "--format template needs a text; for example, add --template '{id} {title}'")
            }
            return
        }
        _ = try RowTemplate(text)
    }
}
