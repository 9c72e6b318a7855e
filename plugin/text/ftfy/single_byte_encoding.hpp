#pragma once
// Encodings of single bytes that UTF-8 is mistaken for: their characters, and tables by index of
// such characters.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Indices of the characters that single-byte encodings make of UTF-8, for tables of them; all
/// others share the last index.
constexpr size_t kMojibakeCharacters = 0x500 + 0x600 + 5;

[[nodiscard]] constexpr size_t mojibakeIndex(char32_t code) {
    constexpr size_t kHigh = 0x500 + 0x600;
    if (code < 0x500) {
        return code;
    }
    if (code >= 0x2000 && code < 0x2600) {
        return 0x500 + (code - 0x2000);
    }
    switch (code) {
        case 0xF8FF:
            return kHigh;
        case 0xFB01:
            return kHigh + 1;
        case 0xFB02:
            return kHigh + 2;
        case 0xFFFD:
            return kHigh + 3;
        default:
            return kMojibakeCharacters - 1;
    }
}

/// Encodings that UTF-8 is mistaken for. Those of Windows are read as browsers do: a byte without a
/// character is the one of its number.
enum class SingleByteEncoding {
    Latin1,
    Windows1252,
    Windows1251,
    Windows1250,
    Windows1253,
    Windows1254,
    Windows1257,
    Iso8859Part2,
    MacRoman,
    CodePage437,
};

/// The byte of U+FFFD in the encodings of Windows: what was lost on the way.
constexpr char kLostByte = '\x1A';

/// In the order in which they are tried. Source: ftfy 6.3.1, chardata.py, sloppy.py.
constexpr std::array<SingleByteEncoding, 10> kSingleByteEncodings = {
    SingleByteEncoding::Latin1,
    SingleByteEncoding::Windows1252,
    SingleByteEncoding::Windows1251,
    SingleByteEncoding::Windows1250,
    SingleByteEncoding::Windows1253,
    SingleByteEncoding::Windows1254,
    SingleByteEncoding::Windows1257,
    SingleByteEncoding::Iso8859Part2,
    SingleByteEncoding::MacRoman,
    SingleByteEncoding::CodePage437};

[[nodiscard]] constexpr bool isOfWindows(SingleByteEncoding encoding) {
    return encoding >= SingleByteEncoding::Windows1252 &&
           encoding <= SingleByteEncoding::Windows1257;
}

/// The bytes of `text`; nothing: the encoding lacks one of its characters.
[[nodiscard]] std::optional<std::string> singleBytes(std::u32string_view text,
                                                     SingleByteEncoding encoding);
/// `code`, or what Windows-1252 has in the place of a control character of Latin-1.
[[nodiscard]] char32_t withoutControl(char32_t code);

constexpr size_t kFirstHigh = 0x80;

// The characters of the bytes from 0x80 on, of all encodings but Latin-1.
constexpr std::u16string_view kWindows1250 =
    u"€\u0081‚\u0083„…†‡\u0088‰Š‹ŚŤŽŹ\u0090‘’“”•–—\u0098™š›śťžź"
    u"\u00A0ˇ˘Ł¤Ą¦§¨©Ş«¬\u00AD®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż"
    u"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
    u"ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";
constexpr std::u16string_view kWindows1251 =
    u"ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u0098™љ›њќћџ"
    u"\u00A0ЎўЈ¤Ґ¦§Ё©Є«¬\u00AD®Ї°±Ііґµ¶·ё№є»јЅѕї"
    u"АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
    u"абвгдежзийклмнопрстуфхцчшщъыьэюя";
constexpr std::u16string_view kWindows1252 =
    u"€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ"
    u"\u00A0¡¢£¤¥¦§¨©ª«¬\u00AD®¯°±²³´µ¶·¸¹º»¼½¾¿"
    u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
    u"àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
constexpr std::u16string_view kWindows1253 =
    u"€\u0081‚ƒ„…†‡\u0088‰\u008A‹\u008C\u008D\u008E\u008F"
    u"\u0090‘’“”•–—\u0098™\u009A›\u009C\u009D\u009E\u009F"
    u"\u00A0΅Ά£¤¥¦§¨©ª«¬\u00AD®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ"
    u"ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡÒΣΤΥΦΧΨΩΪΫάέήί"
    u"ΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώÿ";
constexpr std::u16string_view kWindows1254 =
    u"€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008D\u008E\u008F\u0090‘’“”•–—˜™š›œ\u009D\u009EŸ"
    u"\u00A0¡¢£¤¥¦§¨©ª«¬\u00AD®¯°±²³´µ¶·¸¹º»¼½¾¿"
    u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß"
    u"àáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ";
constexpr std::u16string_view kWindows1257 =
    u"€\u0081‚\u0083„…†‡\u0088‰\u008A‹\u008C¨ˇ¸\u0090‘’“”•–—\u0098™\u009A›\u009C¯˛\u009F"
    u"\u00A0¡¢£¤¥¦§Ø©Ŗ«¬\u00AD®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ"
    u"ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß"
    u"ąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙";
constexpr std::u16string_view kIso8859Part2 =
    u"\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008A\u008B\u008C\u008D\u008E"
    u"\u008F"
    u"\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009A\u009B\u009C\u009D\u009E"
    u"\u009F"
    u"\u00A0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00ADŽŻ°ą˛ł´ľśˇ¸šşťź˝žż"
    u"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
    u"ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";
constexpr std::u16string_view kMacRoman =
    u"ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü"
    u"†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
    u"¿¡¬√ƒ≈∆«»…\u00A0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
    u"‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uF8FFÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
constexpr std::u16string_view kCodePage437 =
    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
    u"áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    u"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    u"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0";

constexpr std::array<std::u16string_view, 9> kHighCharacters = {kWindows1252,
                                                                kWindows1251,
                                                                kWindows1250,
                                                                kWindows1253,
                                                                kWindows1254,
                                                                kWindows1257,
                                                                kIso8859Part2,
                                                                kMacRoman,
                                                                kCodePage437};

/// What a byte from 0x80 on is.
[[nodiscard]] constexpr char32_t characterOf(unsigned byte, SingleByteEncoding encoding) {
    return encoding == SingleByteEncoding::Latin1
               ? byte
               : kHighCharacters[static_cast<size_t>(encoding) - 1][byte - kFirstHigh];
}

}  // namespace lowtide::models
