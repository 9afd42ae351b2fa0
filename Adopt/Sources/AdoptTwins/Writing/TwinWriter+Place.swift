import AdoptAnalysis
import SwiftSyntax

extension TwinWriter {
  // MARK: The place of a twin

  /// Returns the indentation of the line that contains a byte.
  func indentation(at offset: Int) -> String {
    let bytes = file.text.utf8
    guard var start = bytes.index(bytes.startIndex, offsetBy: offset, limitedBy: bytes.endIndex) else {
      return ""
    }
    while start > bytes.startIndex {
      let before = bytes.index(before: start)
      if bytes[before] == UInt8(ascii: "\n") || bytes[before] == UInt8(ascii: "\r") { break }
      start = before
    }
    let blanks = bytes[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return String(Substring(blanks))
  }

  func isRequirement(_ candidate: Candidate) -> Bool {
    if case .requirement = candidate.scope.kind { true } else { false }
  }

  func insertion(for candidate: Candidate) -> Twin.Insertion {
    // The extension for a requirement is placed after the outermost enclosing declaration.
    let node = isRequirement(candidate) ? candidate.scope.declarations.last : Syntax(candidate.function)
    let anchor = node ?? Syntax(candidate.function)
    let outer = indentation(at: anchor.positionAfterSkippingLeadingTrivia.utf8Offset)
    let base = isOnLineOfType(anchor) ? outer + style.unit : outer
    let end = anchor.endPositionBeforeTrailingTrivia.utf8Offset
    let bytes = file.text.utf8
    guard let start = bytes.index(bytes.startIndex, offsetBy: end, limitedBy: bytes.endIndex) else {
      return Twin.Insertion(offset: end, base: base, follower: .space)
    }
    let rest = bytes[start...].prefix { !Self.isLineEnd($0) }
    let words = String(Substring(rest)).drop { " \t;".contains($0) }
    let isComment = words.hasPrefix("//") || (words.hasPrefix("/*") && words.hasSuffix("*/"))
    guard words.isEmpty || isComment else {
      let around = words.hasPrefix("}") ? candidate.scope.declarations.first : nil
      return Twin.Insertion(
        offset: end, gap: rest.count - words.utf8.count, base: base,
        rest: around.map { indentation(at: $0.positionAfterSkippingLeadingTrivia.utf8Offset) } ?? base,
        follower: .sameLine)
    }
    return Twin.Insertion(
      offset: end + rest.count, base: base,
      follower: standsClose(bytes[rest.endIndex...]) ? .nextLine : .space)
  }

  /// Returns whether a member is on the line of its type's brace, as in `struct S { func …`, so that the line has the
  /// indentation of the type.
  private func isOnLineOfType(_ member: Syntax) -> Bool {
    guard let block = member.parent?.parent?.parent?.as(MemberBlockSyntax.self) else { return false }
    return file.place(of: block.leftBrace).line == file.place(of: member).line
  }

  /// Returns whether another declaration follows on the next line.
  private func standsClose(_ rest: String.UTF8View.SubSequence) -> Bool {
    var rest = rest
    if rest.first == UInt8(ascii: "\r") { rest.removeFirst() }
    if rest.first == UInt8(ascii: "\n") { rest.removeFirst() }
    let line = String(Substring(rest.prefix { !Self.isLineEnd($0) })).drop { $0 == " " || $0 == "\t" }
    return !line.isEmpty && line.first != "}" && line.first != "#"
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  func renaming(_ function: FunctionDeclSyntax, name: FunctionName, base: String) -> FixIt.Edit? {
    guard options.marksOldFunctions else { return nil }
    let offset = function.positionAfterSkippingLeadingTrivia.utf8Offset
    let startsLine =
      function.leadingTrivia.containsNewline || function.position.utf8Offset == 0
      || function.previousToken(viewMode: .sourceAccurate) == nil
    let end = startsLine ? FileStyle(of: file.text).lineEnd + base : " "
    return (offset..<offset, "@available(*, renamed: \"\(name)\")" + end)
  }

  // MARK: The surroundings of a twin

  /// Returns a header such as `public extension Outer.Inner where T: Hashable`, with its attributes on separate lines.
  func extensionHeader(_ scope: Scope) -> String {
    guard !scope.type.isEmpty else { return "" }
    var attributes: [String] = []
    for declaration in scope.declarations {
      for element in declaration.declarationAttributes ?? [] {
        guard case .attribute(let attribute) = element else { continue }
        let isAvailability = attribute.attributeName.trimmedDescription == "available"
        // Other attributes of a type also apply to its extensions.
        if isAvailability
          || (declaration.is(ExtensionDeclSyntax.self) && declaration == scope.declarations.first)
        {
          attributes.append(attribute.trimmedDescription)
        }
      }
    }
    var header = attributes.map { $0 + "\n" }.joined()
    if case .extensionOf(let declaration) = scope.kind {
      header += declaration.modifiers.map { $0.trimmedDescription + " " }.joined()
    }
    header += "extension \(scope.type)"
    if case .extensionOf(let declaration) = scope.kind, let clause = declaration.genericWhereClause {
      header += " \(clause.trimmedDescription)"
    }
    return header
  }

  /// Returns whether a function is a delegate method, such as `urlSession(_ session: URLSession, …)`: the sender is its
  /// first parameter and gives the method its name.
  func isDelegateMethod(_ candidate: Candidate) -> Bool {
    if case .requirement(let declaration) = candidate.scope.kind,
      ["Delegate", "DataSource"].contains(where: declaration.name.text.hasSuffix)
    {
      return true
    }
    let parameters = candidate.function.signature.parameterClause.parameters
    guard parameters.count > 1, let sender = parameters.first, sender.label == "_",
      candidate.handler.index > 0,
      let type = (sender.type.wrappedOptional ?? sender.type).plainName
    else { return false }
    return type.lowercased().hasSuffix(candidate.name.base.lowercased())
  }

  func reasonAgainstSeparate(_ candidate: Candidate) -> String? {
    if candidate.scope.isInsideFunction { return "its type is local, so other files cannot use it" }
    let modifiers =
      [candidate.function.modifiers] + candidate.scope.declarations.compactMap(\.declarationModifiers)
    let isPrivate = modifiers.joined().contains {
      ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
    }
    return isPrivate ? "it is private to its file" : nil
  }

  func isInsideObjCMembers(_ scope: Scope) -> Bool {
    guard let declaration = scope.declarations.first else { return false }
    let names = declaration.declarationAttributes?.names ?? []
    return names.contains("objcMembers")
      || (declaration.is(ExtensionDeclSyntax.self) && names.contains("objc"))
  }

  /// Returns whether no attribute or modifier isolates a function to an actor. Superclasses and the default isolation
  /// of the module are not known here.
  func belongsToNoActor(_ candidate: Candidate) -> Bool {
    let plain: Set<String> = [
      "available", "objc", "objcMembers", "frozen", "usableFromInline", "discardableResult",
    ]
    guard candidate.function.attributes.names.isSubset(of: plain) else { return false }
    if candidate.function.modifiers.contains(where: { $0.name.text == "nonisolated" }) { return false }
    let parameters = candidate.function.signature.parameterClause.parameters
    if parameters.contains(where: { $0.type.specifiers.contains("isolated") }) { return false }
    return candidate.scope.declarations.allSatisfy { declaration in
      !declaration.is(ActorDeclSyntax.self)
        && (declaration.declarationAttributes?.names ?? []).isSubset(of: plain)
    }
  }
}

extension AttributeListSyntax {
  var names: Set<String> {
    Set(
      compactMap { element in
        guard case .attribute(let attribute) = element else { return nil }
        return attribute.attributeName.trimmedDescription
      })
  }
}

extension TypeSyntax {
  /// The last part of a type's name, without `any`, `some` and generic arguments.
  var plainName: String? {
    if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    if let type = self.as(SomeOrAnyTypeSyntax.self) { return type.constraint.plainName }
    if let type = self.as(TupleTypeSyntax.self), type.elements.count == 1 {
      return type.elements.first?.type.plainName
    }
    return nil
  }

  var isThrowingClosure: Bool {
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.isThrowingClosure }
    return self.as(FunctionTypeSyntax.self)?.effectSpecifiers != nil
  }
}
