import ArgumentParser
import RoostModel

/// The option for CSV that is not read by a spreadsheet.
struct RawCellsOption: ParsableArguments {
    @Flag(
        name: .customLong("raw"),
        help: """
            With --format csv: do not put an apostrophe before cells that a spreadsheet would run as \
            formulas. Use it only for programs that are not spreadsheets.
            """)
    var isSet = false

    /// Checks that the output is CSV.
    func check(_ isCSV: Bool) throws {
        guard isCSV || !isSet else { throw ValidationError("--raw needs --format csv") }
    }

    /// Returns the message about the cells that were changed; `nil` if none were.
    static func note(onChangedCells count: Int) -> String? {
        count == 0
            ? nil
            : "\(Count.text(count, "cell", "cells")) got an apostrophe, because a spreadsheet would run "
                + (count == 1 ? "it as a formula" : "them as formulas") + "; --raw omits it"
    }
}
