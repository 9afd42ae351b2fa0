import KennelModel

extension Words {
  static let englishJoining = JoinWords(
    welcomeOwner: "Welcome to your kennel",
    firstOwner:
      "You are the first one here. Create the owner’s account: with it, you share photos and invite others.",
    createAccount: "Create the account", join: "Join", newPassword: "Set a new password",
    setPassword: "Set the password", invited: "You are invited",
    joinSite: { "Join \($0)" },
    invitedBy: { "\($0) invites you" },
    passwordFor: { "It is for the account of \($0). All other devices with this account are signed out." },
    invitation: { role in
      switch role {
      case .owner: "to this kennel, as an owner: you can share photos and change everything."
      case .member: "to see the photos here, and to share your own."
      case .viewer: "to see the photos here, to give hearts and to comment."
      }
    },
    passwordHint: { "At least \($0) characters." },
    repeatPassword: "Repeat the password", yourName: "Your name",
    nameHint: "Others see it, and you sign in with it.",
    showPassword: "Show the password", linkDoesNotWork: "This link does not work",
    welcome: "Welcome",
    welcomeNamed: { "Welcome, \($0)" },
    nextSteps: "What to do next",
    inviteOthers:
      "Invite others: on the page <a href=\"/people\">People</a>, make a link for each of them.",
    sharePhotos: "Share your photos: choose <b>Share</b> at the top of the page with the photos.",
    homeScreen: "On a phone or tablet, open the menu of the browser and choose <b>Add to Home Screen</b>.",
    otherDevice: {
      """
      On another device, sign in as \($0) with your password. You can change both on the page <a href="/you">You</a>.
      """
    },
    newPasswordLink: "A link for a new password", newInvitation: "A new invitation",
    sendInvitation: "Send this link to the person whom you invite, or let a phone scan the code.",
    sendPasswordLink: { "Send this link to \($0). With it, a new password can be set." },
    worksOnce: { "It works once, until \($0). It is shown only now." },
    link: "Link", sendLink: "Send…", copyLink: "Copy the link", linkCode: "QR code of the link",
    role: { role in
      switch role {
      case .owner: "Owner"
      case .member: "Member"
      case .viewer: "Viewer"
      }
    },
    newKennel: "This kennel is new",
    noAccounts: """
      Nobody has an account yet. Kennel printed a link and a QR code when it was started: look at its terminal on that \
      machine, or at the output of <code>journalctl -u kennel</code>. Open the link to create the owner’s account.
      """,
    noAccountsLink: "The link works once, for 24 hours. Start Kennel again to get a new one.")

  /// What users with a role can do, after “can”.
  private static func abilities(_ role: User.Role) -> String {
    switch role {
    case .owner: "do everything, and invite and remove people."
    case .member: "look, give hearts, comment and share photos."
    case .viewer: "look, give hearts and comment."
    }
  }

  static let englishYou = YouWords(
    changeName: "Change the name", passwordTitle: "Password", presentPassword: "Present password",
    newPassword: "New password", repeatNewPassword: "Repeat the new password",
    changePassword: "Change the password",
    picture: "Picture", choosePicture: "Choose a photo", setPicture: "Use this picture",
    removePicture: "Remove the picture",
    pictureHint: {
      """
      Everyone who sees your photos or comments sees it. The middle of the photo is used, without its camera data. The file \
      may have up to \($0).
      """
    },
    role: { role in
      let word = englishJoining.role(role).lowercased()
      return "You are \(role == .owner ? "an" : "a") \(word). You can \(abilities(role))"
    },
    passwordHint: {
      "At least \($0) characters. All other devices are signed out, and your feed address stops working."
    },
    language: "Language", languageHint: "The language of the pages, for you.",
    asBrowser: "As the browser says", changeLanguage: "Change the language",
    feed: "Feed", makeAddress: "Make an address", turnOffFeed: "Turn off the feed",
    makeNewAddress: "Make a new address",
    feedExplanation: {
      """
      With a feed reader app, you see new photos without visiting this page. Your feed has a secret address: anyone who has \
      it can see the latest \($0) photos, their captions and the names of their authors.
      """
    },
    feedMade: {
      """
      You made your feed address \($0). For safety, it cannot be shown again. If you make a new one, the old one stops \
      working.
      """
    },
    feedAddress: "The address of your feed",
    newFeedExplanation: """
      Copy this address into your feed reader now. It is not shown again. Do not give it to anyone who should not see the \
      latest photos. Your earlier address, if you had one, no longer works.
      """,
    address: "Address", copyAddress: "Copy the address",
    space: "Space",
    photosTake: { "Your photos take \($0). Photos in the bin count until they are deleted forever." },
    devices: "Devices", noDevice: "No device has a session.", browser: "A browser",
    thisDevice: "This device", thisDeviceEnding: "this device",
    signOutOthers: "Sign out all other devices",
    lastUsed: { "Last used \($0)" }, fromAddress: { ", from \($0)" },
    device: { $0 },
    pictureChanged: "Your picture is changed.",
    nameChanged: "Your name is changed.",
    passwordChanged: "Your password is changed. All other devices are signed out.",
    languageChanged: "The language is changed.",
    deviceSignedOut: "The device is signed out.",
    devicesSignedOut: "All other devices are signed out.",
    feedOff: "The feed is turned off. Its address no longer works.",
    notPresentPassword: "This is not your present password.",
    passwordsDiffer: "The two passwords differ. Enter the same password twice.")

  static let englishPeople = PeopleWords(
    personCount: { $0 == 1 ? "1 person" : "\($0) people" },
    inviteSomebody: "Invite somebody",
    inviteHint: "You get a link to send. With it, one person creates an account.",
    validFor: "The link is valid for", makeLink: "Make a link",
    dayCount: { $0 == 1 ? "1 day" : "\($0) days" },
    isViewer: " (you)",
    since: { "\(englishJoining.role($0)), since \($1)" },
    change: "Change", openInvitations: "Open invitations",
    until: "Until ", madeAtTerminal: "made at the terminal",
    madeBy: { "made by \($0)" },
    revoke: "Revoke",
    revokedInvitation: { "the invitation as \(englishJoining.role($0).lowercased()) until \($1)" },
    roleTitle: "Role",
    abilities: { "Can \(abilities($0))" },
    whatYouCan: "What you can do", whatPersonCan: "What this person can do", changeRole: "Change the role",
    forgottenPassword: "Forgotten password", removeTitle: "Remove the account", remove: "Remove",
    resetHint: {
      """
      You get a link to send. With it, \($0) sets a new password, and all devices with the old one are signed out.
      """
    },
    confirmRemoval: { "Remove the account of \($0). This cannot be undone." },
    photosAndComments: "Photos and comments",
    belongings: { posts, comments in
      func counted(_ count: Int, _ noun: String) -> String? {
        count == 0 ? nil : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
      }
      return [counted(posts, "photo"), counted(comments, "comment")].compactMap { $0 }.joined(
        separator: " and ")
    },
    keep: { "Keep the \($0), under your name" }, removeToo: { "Remove the \($0), too" },
    storage: "Storage",
    littleSpace: " Free some disk space soon. When the disk is full, nobody can share photos.",
    photosUse: { "The photos use \($0)." },
    freeSpace: { "\($0) of \($1) are free on the disk." },
    usage: { used, quota in quota.map { "\(used) of \($0)" } ?? used },
    photosTake: { ". Photos: \($0)" },
    spaceTitle: "Space", spaceQuestion: "The photos of this person may take", noLimit: "no limit",
    withoutLimit: "As much space as there is", upToSize: "Up to this size:", maximumSize: "Maximum size",
    sizeHint: "A number with a unit, such as 20 GB. If the photos take more, none is deleted.",
    changeSpace: "Change the space", spaceChanged: "The space is changed.",
    personTakes: { "The photos take \($0)." },
    likeEveryone: { "What everyone gets by default (\($0))" },
    pictureTitle: "Picture", removePicture: "Remove the picture", pictureRemoved: "The picture is removed.",
    pictureHint: { "\($0) has chosen this picture. Without it, the first letter of the name is shown." },
    roleChanged: "The role is changed.", accountRemoved: "The account is removed.",
    invitationRevoked: "The invitation is revoked.")

  static let englishProblems = ProblemWords(
    title: { titles[$0] }, error: "Error",
    sentence: { sentence, _ in singular(sentence) })

  /// Corrects the plural of a single second or minute.
  private static func singular(_ sentence: String) -> String {
    sentence.replacing(" 1 seconds.", with: " 1 second.").replacing(" 1 minutes.", with: " 1 minute.")
  }

  private static let titles: [Int: String] = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 410: "Gone", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
    415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 460: "Checksum Mismatch", 500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]
}
