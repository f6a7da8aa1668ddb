//! Unusable input: the errors that leave no report (exit status 3). Damage further into a file is
//! no error: what precedes it is reported (exit status 4).
