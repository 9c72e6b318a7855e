#include "ui/studio/guide_window.hpp"

#include "ui/access/announce.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/help_text.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTextBlock>
#include <QToolButton>
#include <QUrl>

// Outside every namespace, as the macro wants it: the resources lie in a static library.
static void initGuide() {
    Q_INIT_RESOURCE(guide);
}

namespace lowtide::ui {

namespace {

constexpr const char* kGuide = "guide";
constexpr int kContentsLevel = 2;  ///< of headings; the first is the title
constexpr int kBlockRole = Qt::UserRole;
constexpr QSize kGuideSize(1000, 720);
constexpr int kContentsWidth = Theme::space(60);

QString fileOf(const QString& page) {
    return QStringLiteral(":/lowtide/guide/%1.md").arg(page);
}

bool hasPage(const QString& page) {
    return QFile::exists(fileOf(page));
}

/// "memory" for "memory.md"; empty: it is no page of this window.
QString pageOf(const QUrl& link) {
    const QString path = link.path();
    const QString page = path.endsWith(QLatin1String(".md")) ? path.chopped(3) : QString();
    return hasPage(page) ? page : QString();
}

bool canBeFollowed(const QUrl& link) {
    return !link.scheme().isEmpty() || link.path().isEmpty() || !pageOf(link).isEmpty();
}

/// Links and images of files that the program does not have become plain words; comments go.
QString readable(QString markdown) {
    static const QRegularExpression kComment(QStringLiteral("<!--[^>]*-->\\n?"));
    markdown.remove(kComment);
    static const QRegularExpression kLink(QStringLiteral("!?\\[([^\\]]*)\\]\\(([^)\\s]+)\\)"));
    QString text;
    qsizetype end = 0;
    for (auto found = kLink.globalMatch(markdown); found.hasNext();) {
        const QRegularExpressionMatch link = found.next();
        text += markdown.mid(end, link.capturedStart() - end);
        text += canBeFollowed(QUrl(link.captured(2))) ? link.captured() : link.captured(1);
        end = link.capturedEnd();
    }
    return text + markdown.mid(end);
}

}  // namespace

QString headingName(const QString& heading) {
    QString name;
    for (const QChar letter : heading.trimmed().toLower()) {
        if (letter == QLatin1Char(' ')) {
            name += QLatin1Char('-');
        } else if (letter.isLetterOrNumber() || letter == QLatin1Char('-') ||
                   letter == QLatin1Char('_')) {
            name += letter;
        }
    }
    return name;
}

GuideWindow::GuideWindow(QWidget* parent)
    : QDialog(parent),
      text_(named("guideText", new HelpText(this))),
      contents_(named("guideContents", new QListWidget(this))),
      search_(makeSearch(tr("Find in this page"), "guideSearch", this)),
      found_(makeText({}, "guideFound", this, "small")),
      back_(makeIconButton("chevron-left", tr("Back (Alt+Left)"), "guideBack", this)) {
    initGuide();
    setObjectName(QStringLiteral("guideWindow"));
    setWindowTitle(tr("Guide"));
    setModal(false);
    resize(kGuideSize);
    text_->setAccessibleName(windowTitle());
    contents_->setAccessibleName(tr("Contents"));
    contents_->setWordWrap(true);
    found_->hide();
    auto* split = new QSplitter(this);
    split->addWidget(contents_);
    split->addWidget(text_);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    split->setSizes({kContentsWidth, kGuideSize.width() - kContentsWidth});
    columnIn(this, 2, {3, 3, 3, 3}, {rowOf(2, {back_, {search_, 1}}), found_, {split, 1}});
    connectParts();
    const QString own = QStringLiteral("%1.%2").arg(QLatin1String(kGuide), Language::code());
    showPage(hasPage(own) ? own : QLatin1String(kGuide));
    text_->setFocus();
}

void GuideWindow::connectParts() {
    connect(text_, &HelpText::anchorClicked, this, &GuideWindow::follow);
    connect(back_, &QToolButton::clicked, this, &GuideWindow::goBack);
    const auto jump = [this](const QListWidgetItem* item) {
        goTo(text_->document()->findBlockByNumber(item->data(kBlockRole).toInt()));
    };
    connect(contents_, &QListWidget::itemClicked, this, jump);
    connect(contents_, &QListWidget::itemActivated, this, jump);
    connect(search_, &QLineEdit::textEdited, this, [this] {
        text_->moveCursor(QTextCursor::Start);
        find();
    });
    connect(search_, &QLineEdit::returnPressed, this, &GuideWindow::find);
    new QShortcut(QKeySequence(Qt::ALT | Qt::Key_Left), this, this, &GuideWindow::goBack);
    new QShortcut(QKeySequence::Find, this, search_, [this] {
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
    });
}

void GuideWindow::showPage(const QString& page, const QString& heading) {
    if (page != page_) {
        QFile file(fileOf(page));
        if (!file.open(QIODevice::ReadOnly)) {
            return;
        }
        page_ = page;
        text_->showText(readable(QString::fromUtf8(file.readAll())));
        fillContents();
    }
    back_->setEnabled(!before_.empty());
    const QTextBlock block = headingOf(heading);
    goTo(block.isValid() ? block : text_->document()->begin());
}

void GuideWindow::fillContents() {
    contents_->clear();
    const QTextDocument& document = *text_->document();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == kContentsLevel) {
            auto* item = new QListWidgetItem(block.text(), contents_);
            item->setData(kBlockRole, block.blockNumber());
        }
    }
    contents_->setVisible(contents_->count() > 0);
}

QTextBlock GuideWindow::headingOf(const QString& name) const {
    const QTextDocument& document = *text_->document();
    QTextBlock block = name.isEmpty() ? QTextBlock() : document.begin();
    while (block.isValid() &&
           (block.blockFormat().headingLevel() == 0 || headingName(block.text()) != name)) {
        block = block.next();
    }
    return block;
}

void GuideWindow::follow(const QUrl& link) {
    if (!link.scheme().isEmpty()) {
        QDesktopServices::openUrl(link);
        return;
    }
    before_.push_back({.page = page_, .scrolled = text_->verticalScrollBar()->value()});
    showPage(link.path().isEmpty() ? page_ : pageOf(link), link.fragment(QUrl::FullyDecoded));
}

void GuideWindow::goBack() {
    if (before_.empty()) {
        return;
    }
    const Read read = before_.back();
    before_.pop_back();
    showPage(read.page);
    text_->verticalScrollBar()->setValue(read.scrolled);
}

void GuideWindow::goTo(const QTextBlock& block) {
    text_->setTextCursor(QTextCursor(block));
    const QAbstractTextDocumentLayout& layout = *text_->document()->documentLayout();
    text_->verticalScrollBar()->setValue(
        block.blockNumber() == 0 ? 0 : static_cast<int>(layout.blockBoundingRect(block).top()));
}

void GuideWindow::find() {
    const QString words = search_->text();
    bool isFound = words.isEmpty() || text_->find(words);
    if (!isFound) {
        const QTextCursor before = text_->textCursor();
        text_->moveCursor(QTextCursor::Start);
        isFound = text_->find(words);
        if (!isFound) {
            text_->setTextCursor(before);
        }
    }
    showText(*found_, isFound ? QString() : tr("“%1” is not on this page.").arg(words));
    if (!isFound) {
        announce(*this, found_->text());
    }
}

}  // namespace lowtide::ui
