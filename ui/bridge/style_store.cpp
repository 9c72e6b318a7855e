#include "ui/bridge/style_store.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/bridge/json_store.hpp"
#include "ui/document/saved_file.hpp"

#include <QFileInfo>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int64_t kLargestStylesFile = int64_t{16} << 20;

std::string contentOf(const QString& path) {
    return files::InputFile(path.toStdString()).readAll(kLargestStylesFile);
}

std::vector<PromptStyle> stylesIn(const QString& path) {
    const std::string name = QFileInfo(path).fileName().toStdString();
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return isCsv ? stylesFromCsv(contentOf(path), name) : stylesFromJson(contentOf(path), name);
}

auto styleNamed(auto& styles, const std::string& name) {
    return std::find_if(
        styles.begin(), styles.end(), [&](const auto& each) { return each.name == name; });
}

void putInto(std::vector<PromptStyle>& styles, const PromptStyle& style) {
    const auto known = styleNamed(styles, style.name);
    if (known == styles.end()) {
        styles.push_back(style);
    } else {
        *known = style;
    }
}

}  // namespace

/// Of a job on the other thread.
struct StyleStore::Outcome {
    std::optional<Styles> styles;
    QString problem;
    int imported = -1;

    /// A damaged file is set aside, so that the next one can be written.
    void read(const QString& path) {
        if (!QFileInfo::exists(path)) {
            styles.emplace();
            return;
        }
        try {
            styles = stylesIn(path);
        } catch (const Error& error) {
            problem = sentenceOf(error);
            if (error.kind() == ErrorKind::Corrupt && !setBrokenAside(path).isEmpty()) {
                styles.emplace();
            }
        }
    }

    void write(const QString& path, const std::function<void(Styles&)>& edit) {
        const StoreLock lock(path);
        read(path);
        if (styles) {
            edit(*styles);
            files::writeFileAtomically(path.toStdString(), stylesText(*styles));
        }
    }
};

StyleStore::StyleStore(QString path, QObject* parent) : QObject(parent), path_(std::move(path)) {
    refresh();
}

StyleStore::~StyleStore() {
    background_.finish();
}

const PromptStyle* StyleStore::find(const QString& name) const {
    const auto found = styleNamed(styles_, name.toStdString());
    return found == styles_.end() ? nullptr : &*found;
}

void StyleStore::refresh() {
    run([path = path_](Outcome& outcome) { outcome.read(path); });
}

void StyleStore::put(const PromptStyle& style) {
    change([style](Styles& styles) { putInto(styles, style); });
}

void StyleStore::rename(const QString& from, const QString& to) {
    change([old = from.toStdString(), name = to.toStdString()](Styles& styles) {
        const auto known = styleNamed(styles, old);
        if (known == styles.end() || old == name) {
            return;
        }
        PromptStyle renamed = *known;
        renamed.name = name;
        *known = renamed;
        const auto isOther = [&](const PromptStyle& each) {
            return each.name == name && !(each == renamed);
        };
        styles.erase(std::remove_if(styles.begin(), styles.end(), isOther), styles.end());
    });
}

void StyleStore::remove(const QString& name) {
    change([gone = name.toStdString()](Styles& styles) {
        const auto known = styleNamed(styles, gone);
        if (known != styles.end()) {
            styles.erase(known);
        }
    });
}

void StyleStore::import(const QString& path) {
    run([own = path_, path](Outcome& outcome) {
        const Styles more = stylesIn(path);
        outcome.write(own, [&more](Styles& styles) {
            for (const PromptStyle& style : more) {
                putInto(styles, style);
            }
        });
        outcome.imported = outcome.styles ? static_cast<int>(more.size()) : -1;
    });
}

void StyleStore::change(std::function<void(Styles&)> edit) {
    run([path = path_, edit = std::move(edit)](Outcome& outcome) { outcome.write(path, edit); });
}

void StyleStore::run(std::function<void(Outcome&)> job) {
    background_.run([this, job = std::move(job)] {
        const auto outcome = std::make_shared<Outcome>();
        try {
            job(*outcome);
        } catch (const Error& error) {
            outcome->styles.reset();
            outcome->problem = sentenceOf(error);
        }
        return [this, outcome] { take(*outcome); };
    });
}

void StyleStore::take(const Outcome& outcome) {
    if (!outcome.problem.isEmpty()) {
        Q_EMIT failed(outcome.problem);
    }
    if (outcome.styles) {
        styles_ = *outcome.styles;
        Q_EMIT changed();
    }
    if (outcome.imported >= 0) {
        Q_EMIT imported(outcome.imported);
    }
}

}  // namespace lowtide::ui
