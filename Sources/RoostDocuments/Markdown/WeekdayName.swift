/// The names of the days of the week, which can precede a date.
enum WeekdayName {
    /// The names and their abbreviations in English and German, in lowercase letters.
    static let all: Set<String> = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
        "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag",
        "mo", "di", "mi", "do", "fr", "sa", "so",
    ]
}
