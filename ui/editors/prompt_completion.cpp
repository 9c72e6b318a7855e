#include "ui/editors/prompt_completion.hpp"

#include "ui/access/announce.hpp"
#include "ui/editors/picker.hpp"
#include "ui/theme/theme.hpp"

#include <QTextBlock>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kFewestLetters = 2;
constexpr int kMostBefore = 80;  ///< letters before the cursor that matter
constexpr int kCompletionRow = 24;
constexpr int kNarrowest = 180;
constexpr int kWidest = 420;

bool isOfWord(QChar letter) {
    return letter.isLetterOrNumber() || letter.isMark() || letter.isSurrogate() ||
           QStringView(u"_-'").contains(letter);
}

/// What stands before the cursor and is one word.
QString lastWord(const QString& before) {
    qsizetype from = before.size();
    while (from > 0 && isOfWord(before[from - 1])) {
        --from;
    }
    for (const QStringView lead : {QStringView(u"<lora:"), QStringView(u"embedding:")}) {
        if (QStringView(before).left(from).endsWith(lead)) {
            return before.mid(from - lead.size());
        }
    }
    return before.mid(from);
}

/// What stands before the cursor since the last comma or bracket.
QString lastPhrase(const QString& before) {
    qsizetype from = before.size();
    while (from > 0 && !QStringView(u",.;:|(){}[]<>\"").contains(before[from - 1])) {
        --from;
    }
    while (from < before.size() && before[from].isSpace()) {
        ++from;
    }
    return before.mid(from);
}

QString kindText(PromptWord::Kind kind) {
    switch (kind) {
        case PromptWord::Kind::Embedding:
            return PromptCompletion::tr("embedding");
        case PromptWord::Kind::Lora:
            return PromptCompletion::tr("LoRA");
        case PromptWord::Kind::Style:
            return PromptCompletion::tr("style");
        case PromptWord::Kind::Wildcard:
            return PromptCompletion::tr("wildcard");
        case PromptWord::Kind::Own:
            break;
    }
    return {};
}

}  // namespace

PromptCompletion::PromptCompletion(QPlainTextEdit& field, PromptLibrary& library)
    : QObject(&field), field_(field), library_(library), list_(new QListWidget(&field)) {
    list_->setObjectName(QStringLiteral("completion"));
    list_->setWindowFlags(Qt::ToolTip | Qt::FramelessWindowHint);
    list_->setAttribute(Qt::WA_ShowWithoutActivating);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setUniformItemSizes(true);
    list_->hide();
    list_->setAccessibleName(tr("Completions"));
    // The keyboard remains in the field, so the list is not announced by itself.
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) {
            announce(
                field_,
                tr("%1, %2 of %3").arg(list_->item(row)->text()).arg(row + 1).arg(offers_.size()));
        }
    });
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        accept(list_->row(item));
    });
}

PromptCompletion::~PromptCompletion() = default;

bool PromptCompletion::isOpen() const {
    return list_->isVisible();
}

void PromptCompletion::close() {
    list_->hide();
}

void PromptCompletion::update(bool isAsked) {
    const QTextCursor cursor = field_.textCursor();
    const QString line = cursor.block().text();
    const int at = cursor.positionInBlock();
    const bool isInside = at < line.size() && isOfWord(line[at]);
    if (cursor.hasSelection() || isInside || field_.isReadOnly()) {
        close();
        return;
    }
    const QString before = line.mid(std::max(0, at - kMostBefore), std::min(at, kMostBefore));
    show(offersFor(before, isAsked ? 1 : kFewestLetters));
}

std::vector<PromptCompletion::Offer> PromptCompletion::offersFor(const QString& before,
                                                                 int least) const {
    std::vector<Offer> offers;
    const QString phrase = lastPhrase(before);
    const QString word = lastWord(before);
    if (phrase.contains(QLatin1Char(' ')) && phrase.size() >= least && !word.isEmpty()) {
        addOffers(offers, phrase);
    }
    if (word.size() >= least) {
        addOffers(offers, word);
    }
    return offers;
}

void PromptCompletion::addOffers(std::vector<Offer>& offers, const QString& typed) const {
    for (PromptWord& word : library_.wordsFor(typed, kMostRows)) {
        const bool isUnread = word.kind == PromptWord::Kind::Lora && !readsTags_;
        const bool isKnown = std::any_of(offers.begin(), offers.end(), [&](const Offer& offer) {
            return offer.word.kind == word.kind && offer.word.name == word.name;
        });
        if (offers.size() < kMostRows && !isUnread && !isKnown) {
            offers.push_back({.word = std::move(word), .typed = static_cast<int>(typed.size())});
        }
    }
}

void PromptCompletion::show(std::vector<Offer> offers) {
    offers_ = std::move(offers);
    if (offers_.empty()) {
        close();
        return;
    }
    list_->clear();
    list_->setFont(Theme::current().font("small"));
    int width = kNarrowest;
    for (const Offer& offer : offers_) {
        const QString kind = kindText(offer.word.kind);
        const QString text =
            kind.isEmpty() ? offer.word.name : tr("%1 – %2").arg(offer.word.name, kind);
        auto* row = new QListWidgetItem(text, list_);
        row->setSizeHint({0, kCompletionRow});
        width = std::max(width, list_->fontMetrics().horizontalAdvance(text) + Theme::space(6));
    }
    list_->setCurrentRow(0);
    list_->resize(std::min(width, kWidest),
                  list_->count() * kCompletionRow + 2 * list_->frameWidth() + Theme::space(1));
    const QRect cursor = field_.cursorRect().adjusted(0, 0, 0, -1);
    moveBelow(*list_, {field_.viewport()->mapToGlobal(cursor.topLeft()), cursor.size()}, field_);
    list_->show();
}

bool PromptCompletion::takeKey(int key) {
    if (!isOpen()) {
        return false;
    }
    const int rows = list_->count();
    switch (key) {
        case Qt::Key_Up:
            list_->setCurrentRow((list_->currentRow() + rows - 1) % rows);
            return true;
        case Qt::Key_Down:
            list_->setCurrentRow((list_->currentRow() + 1) % rows);
            return true;
        case Qt::Key_Tab:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            accept(list_->currentRow());
            return true;
        case Qt::Key_Escape:
            close();
            return true;
        default:
            return false;
    }
}

void PromptCompletion::accept(int row) {
    close();
    if (row < 0 || static_cast<size_t>(row) >= offers_.size()) {
        return;
    }
    const Offer offer = offers_[static_cast<size_t>(row)];
    QTextCursor cursor = field_.textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, offer.typed);
    const bool isBare = offer.word.kind == PromptWord::Kind::Embedding &&
                        !cursor.selectedText().startsWith(QLatin1String("embedding:"));
    cursor.insertText(isBare ? offer.word.name : offer.word.text);
    field_.setTextCursor(cursor);
    close();  // inserting counts as typing
    if (offer.word.kind == PromptWord::Kind::Style) {
        Q_EMIT styleChosen(offer.word.name);
    }
}

}  // namespace lowtide::ui
