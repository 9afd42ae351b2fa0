import SwiftParser
import SwiftSyntax

/// The types of a file that contain a continuation, and what their values contain.
///
/// These are structs with a continuation, enums with a case that carries one, and type aliases. A name that two types
/// have is resolved in the type that uses it, and is otherwise ambiguous and left out.
struct ContinuationTypes {
  /// How a property stores continuations.
  struct Storage {
    var kind: Ownership.Kind
    var payload: ContinuationPayload
    /// Whether the value is behind a lock, so that the property itself may be a constant.
    var isBoxed = false
  }

  /// A property of a struct that is itself the value of a property.
  struct Nested {
    let name: String
    let storage: Storage
    let otherMembers: Set<String>
    let isBoxed: Bool
  }

  /// Types may refer to each other in a cycle.
  private static let maximumDepth = 8
  private static let maximumRounds = 4
  static let continuations: Set<String> = ["CheckedContinuation", "UnsafeContinuation"]

  private var declarations: [String: [DeclSyntax]] = [:]
  /// The names of continuations and of types that contain them.
  private(set) var words = Self.continuations

  init(_ file: ParsedFile) {
    for _ in 0..<Self.maximumRounds {
      guard collect(in: file) else { return }
    }
  }

  /// Collects the types that mention one of the words. Returns whether there are new ones.
  private mutating func collect(in file: ParsedFile) -> Bool {
    let mentions = WordFinder(words).find(in: file)
    var found: [String: [DeclSyntax]] = [:]
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let alias = node.as(TypeAliasDeclSyntax.self) {
        found[alias.name.text, default: []].append(DeclSyntax(alias))
      } else if let declaration = node.as(StructDeclSyntax.self) {
        found[declaration.name.text, default: []].append(DeclSyntax(declaration))
      } else if let declaration = node.as(EnumDeclSyntax.self) {
        found[declaration.name.text, default: []].append(DeclSyntax(declaration))
      }
      for child in node.children(viewMode: .sourceAccurate)
      where mentions.touch(child) && !child.is(CodeBlockSyntax.self) {
        pending.append(child)
      }
    }
    let grows = !Set(found.keys).isSubset(of: words)
    declarations = found
    words.formUnion(found.keys)
    return grows
  }

  private func declaration(_ name: String, in members: MemberBlockSyntax) -> DeclSyntax? {
    guard let candidates = declarations[name] else { return nil }
    if candidates.count == 1 { return candidates[0] }
    let own = candidates.filter { $0.parent?.parent?.parent?.id == members.id }
    return own.count == 1 ? own[0] : nil
  }

  // MARK: - Properties

  private static let boxes: Set<String> = [
    "Mutex", "OSAllocatedUnfairLock", "NIOLockedValueBox", "LockIsolated", "Locked", "Protected",
    "ManagedCriticalState",
  ]

  /// Returns how a property of a type stores continuations. Nil if it does not, or if that is not known.
  func storage(of binding: PatternBindingSyntax, in members: MemberBlockSyntax) -> Storage? {
    guard let type = type(of: binding) else { return nil }
    if let content = Self.boxed(type) {
      guard let storage = storage(content, in: members) else { return nil }
      let kind = storage.kind == .collection ? storage.kind : .box
      return Storage(kind: kind, payload: storage.payload, isBoxed: true)
    }
    return storage(type, in: members)
  }

  /// Returns the continuations in a struct that is the value of a property, also behind a lock.
  func nested(in binding: PatternBindingSyntax, of members: MemberBlockSyntax) -> [Nested] {
    guard let type = type(of: binding) else { return [] }
    let content = Self.boxed(type)
    guard let name = Self.name(of: content ?? type),
      let structure = declaration(name, in: members)?.as(StructDeclSyntax.self)
    else { return [] }
    let block = structure.memberBlock
    let properties = Self.storedProperties(of: block)
    return properties.compactMap { property in
      guard property.isVariable, let storage = storage(of: property.binding, in: block), !storage.isBoxed
      else { return nil }
      return Nested(
        name: property.name, storage: storage,
        otherMembers: Set(properties.map(\.name)).subtracting([property.name]), isBoxed: content != nil)
    }
  }

  private func storage(_ type: TypeSyntax, in members: MemberBlockSyntax) -> Storage? {
    let wrapped = type.wrappedOptional
    if let wrapped, let payload = payload(wrapped, in: members) {
      return Storage(kind: .optional, payload: payload)
    }
    let element = type.as(ArrayTypeSyntax.self)?.element ?? type.as(DictionaryTypeSyntax.self)?.value
    if let element, let payload = payload(element, in: members) {
      return Storage(kind: .collection, payload: payload)
    }
    guard let name = Self.name(of: type), let declaration = declaration(name, in: members) else { return nil }
    if let alias = declaration.as(TypeAliasDeclSyntax.self) {
      let value = alias.initializer.value
      return Self.name(of: value) == name ? nil : storage(value, in: members)
    }
    guard let cases = declaration.as(EnumDeclSyntax.self).flatMap(cases) else { return nil }
    return Storage(kind: .state, payload: cases)
  }

  /// Returns how a value of a type contains exactly one continuation.
  private func payload(_ type: TypeSyntax, in members: MemberBlockSyntax, depth: Int = 0)
    -> ContinuationPayload?
  {
    guard depth < Self.maximumDepth else { return nil }
    if let tuple = type.as(TupleTypeSyntax.self) {
      if tuple.elements.count == 1, let only = tuple.elements.first {
        return payload(only.type, in: members, depth: depth + 1)
      }
      return payload(ofTuple: tuple, in: members, depth: depth)
    }
    guard let name = Self.name(of: type) else { return nil }
    if Self.continuations.contains(name) { return ContinuationPayload() }
    let declaration = declaration(name, in: members)
    if let alias = declaration?.as(TypeAliasDeclSyntax.self) {
      return payload(alias.initializer.value, in: members, depth: depth + 1)
    }
    guard let block = declaration?.as(StructDeclSyntax.self)?.memberBlock else { return nil }
    var result = ContinuationPayload()
    for property in Self.storedProperties(of: block) {
      let annotation = property.binding.typeAnnotation?.type
      if let annotation, mentionsContinuation(annotation) {
        guard let inner = payload(annotation, in: block, depth: depth + 1), inner.members.isEmpty else {
          return nil
        }
        result.members.insert(property.name)
      } else {
        result.otherMembers.insert(property.name)
      }
    }
    return result.members.count == 1 ? result : nil
  }

  private func payload(ofTuple tuple: TupleTypeSyntax, in members: MemberBlockSyntax, depth: Int)
    -> ContinuationPayload?
  {
    var result = ContinuationPayload()
    for (index, element) in tuple.elements.enumerated() {
      let names = Set([String(index), element.firstName?.text].compactMap(\.self))
      if mentionsContinuation(element.type) {
        guard result.position == nil, let inner = payload(element.type, in: members, depth: depth + 1),
          inner.members.isEmpty
        else { return nil }
        result.position = index
        result.members = names
      } else {
        result.otherMembers.formUnion(names)
      }
    }
    return result.position == nil ? nil : result
  }

  /// Returns the cases of an enum. Nil if one of them carries continuations in a way that cannot be followed.
  private func cases(of declaration: EnumDeclSyntax) -> ContinuationPayload? {
    var result = ContinuationPayload()
    let block = declaration.memberBlock
    for member in block.members {
      // A case inside `#if` may be missing.
      if member.decl.is(IfConfigDeclSyntax.self) { return nil }
      for element in member.decl.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
        let parameters = Array(element.parameterClause?.parameters ?? [])
        let carrying = parameters.indices.filter { mentionsContinuation(parameters[$0].type) }
        guard let position = carrying.first else {
          result.otherCases.insert(element.name.text)
          continue
        }
        guard carrying.count == 1, let inner = payload(parameters[position].type, in: block) else {
          return nil
        }
        result.cases[element.name.text] = position
        result.members.formUnion(inner.members)
        result.otherMembers.formUnion(inner.otherMembers)
      }
    }
    return result.isState ? result : nil
  }

  private func mentionsContinuation(_ type: TypeSyntax) -> Bool {
    type.tokens(viewMode: .sourceAccurate).contains { words.contains($0.text) }
  }

  // MARK: - Syntax

  private static func name(of type: TypeSyntax) -> String? {
    type.as(IdentifierTypeSyntax.self)?.name.text ?? type.as(MemberTypeSyntax.self)?.name.text
  }

  private static func boxed(_ type: TypeSyntax) -> TypeSyntax? {
    guard let box = type.as(IdentifierTypeSyntax.self), boxes.contains(box.name.text),
      let arguments = box.genericArgumentClause?.arguments, arguments.count == 1,
      case .type(let content)? = arguments.first?.argument
    else { return nil }
    return content
  }

  private static func storedProperties(of block: MemberBlockSyntax) -> [(
    name: String, binding: PatternBindingSyntax, isVariable: Bool
  )] {
    block.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .filter { variable in !variable.modifiers.contains { $0.name.text == "static" } }
      .flatMap { variable in
        variable.bindings.compactMap { binding in
          guard binding.accessorBlock == nil,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
          else { return nil }
          return (name, binding, variable.bindingSpecifier.tokenKind == .keyword(.var))
        }
      }
  }

  /// Returns the type of a property that is written, or that its initial value shows.
  private func type(of binding: PatternBindingSyntax) -> TypeSyntax? {
    if let type = binding.typeAnnotation?.type { return type }
    guard let value = binding.initializer?.value,
      value.tokens(viewMode: .sourceAccurate).contains(where: { words.contains($0.text) })
    else { return nil }
    if let access = value.as(MemberAccessExprSyntax.self), let base = access.base {
      return Self.parse(base.trimmedDescription)
    }
    guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
    let callee = call.calledExpression
    if let box = callee.plainName, Self.boxes.contains(box),
      let content = call.arguments.first?.expression.as(FunctionCallExprSyntax.self)?.calledExpression
    {
      return Self.parse("\(box)<\(content.trimmedDescription)>")
    }
    if let access = callee.as(MemberAccessExprSyntax.self), let base = access.base {
      return Self.parse(base.trimmedDescription)
    }
    return Self.parse(callee.trimmedDescription)
  }

  /// Returns the type that a text stands for, such as `[Int: Waiter]`.
  private static func parse(_ text: String) -> TypeSyntax? {
    let tree = Parser.parse(source: "var value: \(text)")
    guard !tree.hasError else { return nil }
    return tree.statements.first?.item.as(VariableDeclSyntax.self)?.bindings.first?.typeAnnotation?.type
  }
}
