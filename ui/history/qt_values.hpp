#pragma once
// Qt's texts and bytes as values of SQLite.

#include "ui/queue/database.hpp"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <string>
#include <vector>

namespace lowtide::ui {

inline void bindValue(Statement& statement, int index, const QString& value) {
    const QByteArray bytes = value.toUtf8();
    statement.bind(index, std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
}

inline void bindValue(Statement& statement, int index, const QByteArray& value) {
    const std::string_view bytes(value.constData(), static_cast<size_t>(value.size()));
    statement.bind(index, Blob{bytes});
}

[[nodiscard]] inline QString textAt(const Statement& row, int column) {
    return QString::fromStdString(row.text(column));
}

[[nodiscard]] inline QByteArray bytesAt(const Statement& row, int column) {
    return QByteArray::fromStdString(row.bytes(column));
}

template <class Texts>
[[nodiscard]] std::vector<std::string> toStrings(const Texts& texts) {
    std::vector<std::string> strings;
    strings.reserve(static_cast<size_t>(texts.size()));
    for (const QString& text : texts) {
        strings.push_back(text.toStdString());
    }
    return strings;
}

}  // namespace lowtide::ui
