/// The names of the months in English, German, French, Spanish and Italian.
enum MonthName {
    private static let numbers: [String: Int] = {
        let names = [
            "january jan januar jän jänner janvier enero gennaio",
            "february feb februar fév février febrero febbraio",
            "march mar märz mär mrz mars marzo", "april apr avril avr abril aprile",
            "may mai mayo maggio", "june jun juni juin junio giugno",
            "july jul juli juillet juil julio luglio", "august aug août agosto",
            "september sep sept septembre septiembre settembre",
            "october oct oktober okt octobre octubre ottobre", "november nov novembre noviembre",
            "december dec dezember dez décembre déc diciembre dicembre",
        ]
        var numbers: [String: Int] = [:]
        for (index, line) in names.enumerated() {
            for name in line.split(separator: " ") { numbers[String(name)] = index + 1 }
        }
        return numbers
    }()

    /// Returns the number of a month, from 1; `nil` if the name is unknown.
    ///
    /// - Parameter name: The name or its abbreviation in lowercase letters.
    static func number(_ name: String) -> Int? { numbers[name] }
}
