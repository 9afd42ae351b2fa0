import AdoptAnalysis

@testable import AdoptTwins

/// Returns the text of a file with its twins.
func rewritten(_ text: String, options: TwinOptions = TwinOptions()) -> String {
  let file = ParsedFile(path: "a.swift", text: text)
  return applying(twins(in: file, options: options).edits(of: file), to: text)
}

/// Returns only the texts of the twins.
func texts(_ text: String, options: TwinOptions = TwinOptions()) -> [String] {
  twins(in: ParsedFile(path: "a.swift", text: text), options: options).twins.map(\.text)
}

func reasons(_ text: String) -> [String] {
  twins(in: ParsedFile(path: "a.swift", text: text)).declined.map(\.reason)
}
