import RoostModel
import TOMLKit

/// Parses TOML.
enum TOMLFrontMatter {
    /// Parses the lines between the fences of front matter.
    static func parse(_ text: String) -> FrontMatter {
        if let line = TOMLCheck.invalidLine(text) {
            return FrontMatter(unreadParts: [
                "front matter, line \(line + 1): it is not valid TOML, or it has an inline table, which is "
                    + "not supported"
            ])
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let line = error.source.begin.line + 1
            return FrontMatter(unreadParts: [
                "front matter, line \(line): it is not valid TOML: \(error.description)"
            ])
        } catch {
            return FrontMatter(unreadParts: ["front matter: it is not valid TOML"])
        }
        var budget = FrontMatter.maximumValues
        let entries = members(table, depth: 0, budget: &budget)
        let isComplete = budget > 0
        return FrontMatter(
            entries: entries,
            unreadParts: isComplete
                ? [] : ["front matter: it has more than \(FrontMatter.maximumValues) values"])
    }

    private static func members(
        _ table: TOMLTable, depth: Int, budget: inout Int
    ) -> [FrontMatterMember] {
        var result: [FrontMatterMember] = []
        for (key, element) in zip(table.keys, table.values) {
            guard let value = self.value(element, depth: depth + 1, budget: &budget) else { continue }
            result.append(FrontMatterMember(key: key, value: value))
        }
        return result
    }

    /// Returns a value; `nil` if the budget of values is exhausted.
    private static func value(_ element: TOMLValue, depth: Int, budget: inout Int) -> FrontMatterValue? {
        budget -= 1
        guard budget > 0 else { return nil }
        switch element.type {
        case .table:
            guard let table = element.table else { return nil }
            return .object(members(table, depth: depth, budget: &budget))
        case .array:
            guard let array = element.array else { return nil }
            var values: [FrontMatterValue] = []
            for index in 0..<array.count {
                guard let value = self.value(array[index].tomlValue, depth: depth + 1, budget: &budget) else {
                    break
                }
                values.append(value)
            }
            return .array(values)
        case .string: return element.string.map { .scalar(.string($0), text: $0) }
        case .int: return element.int.map { .scalar(.integer(Int64($0)), text: String($0)) }
        case .double:
            guard let number = element.double else { return nil }
            let text = String(number)
            return .scalar(number.isFinite ? .number(number) : .string(text), text: text)
        case .bool: return element.bool.map { .scalar(.bool($0), text: String($0)) }
        case .date: return element.date.map { scalar(text($0)) }
        case .time: return element.time.map { scalar(text($0)) }
        case .dateTime: return element.dateTime.map { scalar(text($0)) }
        }
    }

    private static func scalar(_ text: String) -> FrontMatterValue { .scalar(.string(text), text: text) }

    // MARK: Dates in the format of ISO 8601

    private static func text(_ date: TOMLDate) -> String {
        "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }

    private static func text(_ time: TOMLTime) -> String {
        let whole = "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
        guard time.nanoSecond > 0 else { return whole }
        var fraction = padded(time.nanoSecond, 9)
        while fraction.last == "0" { fraction.removeLast() }
        return "\(whole).\(fraction)"
    }

    private static func text(_ value: TOMLDateTime) -> String {
        let local = "\(text(value.date))T\(text(value.time))"
        guard let minutes = value.offset?.offset else { return local }
        if minutes == 0 { return local + "Z" }
        let absolute = abs(minutes)
        return "\(local)\(minutes < 0 ? "-" : "+")\(padded(absolute / 60, 2)):\(padded(absolute % 60, 2))"
    }

    private static func padded(_ number: Int, _ length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
}
