#include "ui/access/plain_text.hpp"

#include <algorithm>

namespace lowtide::ui {

void PlainText::selection(int, int* start, int* end) const {
    *start = 0;
    *end = 0;
}

QString PlainText::text(int start, int end) const {
    const QString whole = plainText();
    const auto size = static_cast<int>(whole.size());
    const int from = std::clamp(start, 0, size);
    const int to = end < 0 ? size : std::clamp(end, from, size);
    return whole.mid(from, to - from);
}

int PlainText::characterCount() const {
    return static_cast<int>(plainText().size());
}

QString PlainText::attributes(int, int* start, int* end) const {
    *start = 0;
    *end = characterCount();
    return {};
}

void PlainText::deleteText(int start, int end) {
    replaceText(start, end, {});
}

void PlainText::insertText(int offset, const QString& text) {
    replaceText(offset, offset, text);
}

void PlainText::replaceText(int start, int end, const QString& text) {
    QString whole = plainText();
    const auto size = static_cast<int>(whole.size());
    const int from = std::clamp(start, 0, size);
    const int to = std::clamp(end, from, size);
    whole.replace(from, to - from, text);
    setPlainText(whole);
}

}  // namespace lowtide::ui
