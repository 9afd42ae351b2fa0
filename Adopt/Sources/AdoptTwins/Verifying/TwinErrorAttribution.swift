import AdoptAnalysis

/// Determines which twins cause the compiler's errors, and how to change them.
struct TwinErrorAttribution {
  private enum Verdict {
    case declined(String)
    case unsendable
    case unmarked
  }

  private struct Key: Hashable {
    let file: Int
    let twin: Int
  }

  private let files: [TwinVerifier.Pair]
  private let keys: [Key]
  private var verdicts: [Key: Verdict] = [:]

  init(errors: [CompilerDiagnostic], texts: [VerifiedText], files: [TwinVerifier.Pair]) {
    self.files = files
    keys = files.indices.flatMap { file in
      files[file].twins.twins.indices.map { Key(file: file, twin: $0) }
    }
    for error in errors {
      let text = texts.first { $0.path == error.path }
      let twins = containingTwins(of: error, in: text)
      if twins.isEmpty { attribute(error, in: text) } else { decline(twins, because: error) }
    }
  }

  func applied(to file: TwinFile, file index: Int) -> TwinFile {
    var result = file
    result.twins = []
    for (position, twin) in file.twins.enumerated() {
      switch verdicts[Key(file: index, twin: position)] {
      case nil: result.twins.append(twin)
      case .unsendable: result.twins.append(twin.passingUnsendableValues())
      case .unmarked: result.twins.append(twin.leavingFunctionUnmarked())
      case .declined(let reason):
        result.declined.append(Declined(place: twin.place, function: twin.function, reason: reason))
      }
    }
    result.declined.sort { $0.place.offset < $1.place.offset }
    return result
  }

  private func twin(_ key: Key) -> Twin { files[key.file].twins.twins[key.twin] }

  /// Returns the twins that contain an error. Overloads cannot be distinguished, so all of them are returned.
  private func containingTwins(of error: CompilerDiagnostic, in text: VerifiedText?) -> [Key] {
    guard let function = text?.functions.first(where: { $0.lines.contains(error.line) }) else {
      return []
    }
    return keys.filter { AsyncFunction(type: twin($0).type, name: twin($0).name) == function.name }
  }

  private mutating func decline(_ twins: [Key], because error: CompilerDiagnostic) {
    for key in twins {
      let mayChange = error.isAboutSending && !twin(key).passesUnsendableValues
      verdicts[key] =
        mayChange ? .unsendable : .declined("its twin does not compile: \(error.message)")
    }
  }

  /// Attributes an error outside of twins to the twins whose names are on its line, else to the twins of the file,
  /// else to all twins.
  private mutating func attribute(_ error: CompilerDiagnostic, in text: VerifiedText?) {
    let line = text?.line(error.line) ?? ""
    let words = Set(line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let named = keys.filter { words.contains(twin($0).name.base) || words.contains(twin($0).function.base) }
    let sameFile = keys.filter { files[$0.file].file.path == error.path }
    for key in named.isEmpty ? (sameFile.isEmpty ? keys : sameFile) : named {
      if error.suggestsTwin, twin(key).renaming != nil {
        verdicts[key] = .unmarked
      } else {
        let place = "\(error.path):\(error.line)"
        verdicts[key] = .declined("its twin causes an error at \(place): \(error.message)")
      }
    }
  }
}
