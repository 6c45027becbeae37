import ArgumentParser

/// The form in which a list is printed.
enum ListFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, jsonl, csv, tsv, paths, template
}
