/// Splits camel-case names into words as the compiler's importer does.
enum CamelCase {
  /// Returns the words of a name: `getURLForName` is `get`, `URL`, `For`, `Name`. An underscore is a separate word.
  static func words(of name: some StringProtocol) -> [String] {
    let letters = Array(name)
    var words: [String] = []
    var start = 0
    while start < letters.count {
      let end = endOfWord(in: letters, from: start)
      words.append(String(letters[start..<end]))
      start = end
    }
    return words
  }

  private static func endOfWord(in letters: [Character], from start: Int) -> Int {
    if letters[start] == "_" { return start + 1 }
    var end = start
    while end < letters.count, isUppercase(letters[end]) { end += 1 }
    if end - start > 1 { return endOfAcronym(in: letters, from: start, capitalsEnd: end) }
    while end < letters.count, !isUppercase(letters[end]), letters[end] != "_" { end += 1 }
    return end
  }

  private static func endOfAcronym(in letters: [Character], from start: Int, capitalsEnd: Int) -> Int {
    guard capitalsEnd < letters.count else { return capitalsEnd }
    var lowerEnd = capitalsEnd
    while lowerEnd < letters.count, isLowercase(letters[lowerEnd]) { lowerEnd += 1 }
    let lower = String(letters[capitalsEnd..<lowerEnd])
    // "URLs" is one word, but "URLIs" is "URL" and "Is".
    if isPluralEnding(lower), !(letters[capitalsEnd - 1] == "I" && lower == "s") { return lowerEnd }
    return isLowercase(letters[capitalsEnd]) ? capitalsEnd - 1 : capitalsEnd
  }

  /// Returns the name with its initial capitals in lower case: `URLForName` is `urlForName`, `UTF8Data` is `utf8Data`.
  static func lowercasedInitialism(_ name: String) -> String {
    guard let first = name.first, isUppercase(first) else { return name }
    let letters = Array(name)
    var result = ""
    for (index, letter) in letters.enumerated() {
      let next = index + 1
      guard next < letters.count, !isUppercase(letters[next]) else {
        result += letter.lowercased()
        continue
      }
      // The last capital begins the next word, unless it is the first letter or a digit or a plural s follows.
      let rest = letters[next...]
      if index == 0 || !letters[next].isLetter || isPluralEnding(words(of: String(rest)).first ?? "") {
        result += letter.lowercased() + String(rest)
      } else {
        result += String(letters[index...])
      }
      break
    }
    return result
  }

  static func capitalized(_ name: String) -> String {
    guard let first = name.first else { return name }
    return first.uppercased() + name.dropFirst()
  }

  private static func isPluralEnding(_ word: String) -> Bool { word == "s" || word == "es" || word == "ies" }
  private static func isUppercase(_ letter: Character) -> Bool { ("A"..."Z").contains(letter) }
  private static func isLowercase(_ letter: Character) -> Bool { ("a"..."z").contains(letter) }
}
