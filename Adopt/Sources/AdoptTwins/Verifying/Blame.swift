import AdoptAnalysis

/// Which twins the compiler's errors are about, and what is to become of them.
struct Blame {
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

  init(complaints: [CompilerDiagnostic], texts: [VerifiedText], files: [TwinVerifier.Pair]) {
    self.files = files
    keys = files.indices.flatMap { file in
      files[file].twins.twins.indices.map { Key(file: file, twin: $0) }
    }
    for complaint in complaints {
      let text = texts.first { $0.path == complaint.path }
      let accused = accused(by: complaint, in: text)
      if accused.isEmpty { suspect(complaint, in: text) } else { charge(accused, with: complaint) }
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

  /// The twins that an error is inside of. Overloads are told apart by nothing: each is suspected.
  private func accused(by complaint: CompilerDiagnostic, in text: VerifiedText?) -> [Key] {
    guard let function = text?.functions.first(where: { $0.lines.contains(complaint.line) }) else {
      return []
    }
    return keys.filter { AsyncFunction(type: twin($0).type, name: twin($0).name) == function.name }
  }

  private mutating func charge(_ accused: [Key], with complaint: CompilerDiagnostic) {
    for key in accused {
      let mayChange = complaint.isAboutSending && !twin(key).passesUnsendableValues
      verdicts[key] =
        mayChange ? .unsendable : .declined("the compiler says of its twin: \(complaint.message)")
    }
  }

  /// An error elsewhere comes of a twin whose name stands there; else of any in the file; else of any.
  private mutating func suspect(_ complaint: CompilerDiagnostic, in text: VerifiedText?) {
    let line = text?.line(complaint.line) ?? ""
    let words = Set(line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let named = keys.filter { words.contains(twin($0).name.base) || words.contains(twin($0).function.base) }
    let sameFile = keys.filter { files[$0.file].file.path == complaint.path }
    for key in named.isEmpty ? (sameFile.isEmpty ? keys : sameFile) : named {
      if complaint.offersTwin, twin(key).renaming != nil {
        verdicts[key] = .unmarked
      } else {
        let place = "\(complaint.path):\(complaint.line)"
        verdicts[key] = .declined("with its twin, the compiler says at \(place): \(complaint.message)")
      }
    }
  }
}
