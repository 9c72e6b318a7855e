#pragma once

class QAbstractItemView;

namespace lowtide::ui {

/// Where keys come to the list and no row is selected, the current or first one is: what the keys
/// do is done with a row. Qt makes it current alone, and in a list of one no key selects it.
void selectRowForKeys(QAbstractItemView& list);

}  // namespace lowtide::ui
